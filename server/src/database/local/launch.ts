/** How PostgreSQL programs are started: as the user of this process, or as another one for root, which PostgreSQL refuses, and in an environment of their own. */
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Account {
  uid: number
  gid: number
}

/** The command and user that start a PostgreSQL program. */
export interface Launch {
  file: string
  args: string[]
  uid?: number
  gid?: number
}

const UNPRIVILEGED: Account = { uid: 65_534, gid: 65_534 }

/** Undefined for the user of this process. For root: the owner of `folder`, or the user `nobody` when root owns it. */
export function serverAccount(folder: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = statSync(folder)
  return uid === 0 ? nobody() : { uid, gid }
}

function nobody(): Account {
  try {
    const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
    return uid && gid ? { uid: Number(uid), gid: Number(gid) } : UNPRIVILEGED
  } catch {
    return UNPRIVILEGED
  }
}

/** Below a folder that only root may enter, `setpriv` (util-linux) keeps the capability `dac_override` and no other. */
export function launch(file: string, args: readonly string[], folder: string, account: Account | undefined): Launch {
  if (!account) return { file, args: [...args] }
  if (canEnter(dirname(folder), account)) return { file, args: [...args], ...account }
  const { uid, gid } = account
  const capability = '-all,+dac_override'
  const options = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  return {
    file: 'setpriv',
    args: [...options, `--inh-caps=${capability}`, `--ambient-caps=${capability}`, '--', file, ...args],
  }
}

/** Whether the account may search `folder` and every folder above it. */
export function canEnter(folder: string, account: Account): boolean {
  for (let path = realpathSync(folder); ; path = dirname(path)) {
    if (!maySearch(path, account)) return false
    if (path === dirname(path)) return true
  }
}

const SEARCH = 0o1

function maySearch(path: string, { uid, gid }: Account): boolean {
  const stats = statSync(path)
  const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0
  return ((stats.mode >> shift) & SEARCH) === SEARCH
}

/** The search path for programs. */
export const searchPath = () => process.env.PATH ?? ''

// Windows starts no program without its system variables.
const kept = process.platform === 'win32' ? Object.keys(process.env) : ['PATH', 'TMPDIR']

/** With TZ set, initdb does not compare every time zone with the clock. */
export const programEnvironment = (): Record<string, string | undefined> => ({
  ...Object.fromEntries(kept.map((name) => [name, process.env[name]])),
  LC_ALL: 'C',
  TZ: 'UTC',
})
