/** As which operating system user PostgreSQL runs: this process's own, and for root, which PostgreSQL refuses, another. */
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Account {
  uid: number
  gid: number
}

/** How a program of PostgreSQL is started. */
export interface Launch {
  file: string
  args: string[]
  uid?: number
  gid?: number
}

const NOBODY: Account = { uid: 65_534, gid: 65_534 }

/** Undefined when PostgreSQL runs as this process does. For root: the owner of `folder`, or nobody when that is root too. */
export function serverAccount(folder: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = statSync(folder)
  return uid === 0 ? nobody() : { uid, gid }
}

function nobody(): Account {
  try {
    const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
    return uid && gid ? { uid: Number(uid), gid: Number(gid) } : NOBODY
  } catch {
    return NOBODY
  }
}

/**
 * A folder below one that only root may enter, such as root's home, is entered with the capability `dac_override`, which
 * `setpriv` of util-linux hands over; nothing else of root's is kept.
 */
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
  const found = statSync(path)
  const shift = found.uid === uid ? 6 : found.gid === gid ? 3 : 0
  return ((found.mode >> shift) & SEARCH) === SEARCH
}
