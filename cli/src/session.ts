/** One run of a command: the terminal it speaks to, and the server or the database it works on. */

import { isPostriderError, type OnWarning, Postrider } from '@postrider/client'
import type { Config, Engine, Log } from '@postrider/server'
import type { Command } from 'commander'
import { type ClientConfig, readClientConfig } from './config.ts'
import { exitCodes, Failure, keyMissing, notReached } from './failure.ts'
import { plain } from './plain.ts'
import { serverModules } from './server-modules.ts'
import { type Terminal, terminal } from './terminal.ts'
import { version } from './version.ts'

export interface Session {
  terminal: Terminal
  server: ClientConfig
}

export function sessionOf(command: Command): Session {
  const { json, url, key } = command.optsWithGlobals<{ json?: boolean; url?: string; key?: string }>()
  const config = readClientConfig()
  if (url !== undefined) refuseNoAddress(url, '--url')
  else if (config.urlGiven) refuseNoAddress(config.url, 'POSTRIDER_URL')
  return {
    terminal: terminal({ json: json === true, color: config.color }),
    server: {
      ...config,
      ...(url && { url: url.replace(/\/+$/, ''), urlGiven: true }),
      ...(key && { apiKey: key }),
    },
  }
}

export function refuseNoAddress(url: string, source: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return
  throw new Failure(`\`${plain(url)}\` is not an address`, {
    hint: `${source} is the address of a server, such as http://127.0.0.1:4600`,
    exitCode: exitCodes.wrong,
  })
}

/** Without a check the placeholder of a document cannot stand in a header, which ends like a server that does not answer. */
function refuseNoKey(apiKey: string): void {
  const [character] = /[^\x20-\x7e]/u.exec(apiKey.trim()) ?? []
  if (character === undefined) return
  throw new Failure(`The API key has a character that no key has (\`${plain(character)}\`)`, {
    hint: 'Paste the whole key into POSTRIDER_API_KEY or --key.',
    exitCode: exitCodes.wrong,
  })
}

/** Throws without a key: every call but the probes needs one. */
export function clientOf({ server, terminal }: Session): Postrider {
  const { apiKey, url: baseUrl } = server
  if (!apiKey) throw keyMissing(baseUrl)
  refuseNoKey(apiKey)
  return new Postrider({ baseUrl, apiKey, userAgent: `postrider-cli/${version}`, onWarning: warningsOn(terminal) })
}

export const warningsOn =
  (terminal: Terminal): OnWarning =>
  (warnings) => {
    for (const warning of warnings) terminal.warning(warning)
  }

/** For what only a running server does. Without a key it says whether that is all that is missing. */
export async function runningClientOf(session: Session): Promise<Postrider> {
  const { server } = session
  if (!server.apiKey && (await presenceOf(session)) === 'absent') throw notReached(server.url)
  return clientOf(session)
}

/** For calls without a key: probes, and those of the operator who opened the database. */
export const NO_KEY = 'none'

/** A local server answers in milliseconds, one behind a slow line within this. */
const PROBE_TIMEOUT_MS = 3_000

export type Presence = 'ready' | 'starting' | 'absent'

export interface Seen {
  presence: Presence
  /** The reason it gives for taking no work. */
  reason?: string
  /** It takes work, and delivers nothing until it is resumed. */
  isPaused?: boolean
}

/** `starting`: it answers, and does not take work: it starts, stops, or has lost its database. */
export const presenceOf = async (session: Session): Promise<Presence> => (await lookAtServer(session)).presence

export async function lookAtServer({ server }: Session): Promise<Seen> {
  const probe = new Postrider({ baseUrl: server.url, apiKey: NO_KEY, retries: 0, timeoutMs: PROBE_TIMEOUT_MS })
  // Another program on this port is not a Postrider, so that the words of the answer count.
  let reason = ''
  const ready = await probe.service.readyz().catch((error: unknown) => {
    if (isPostriderError(error) && error.status === 503) reason = error.message
    return undefined
  })
  if (ready?.status === 'ok') return { presence: 'ready', isPaused: ready.paused === true }
  const isAlive = await probe.service.livez().then(
    ({ status }) => status === 'ok',
    () => false,
  )
  return isAlive ? { presence: 'starting', reason } : { presence: 'absent' }
}

export type Open = (config: Config, log: Log) => Promise<Engine>

/** Opens the database of this machine's configuration for as long as `work` takes. */
export async function withDatabase<T>(
  work: (engine: Engine, config: Config, log: Log) => Promise<T>,
  open?: Open,
): Promise<T> {
  const { createLog, openDatabase, readConfig } = await serverModules()
  const config = readConfig()
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel)
  const engine = await (open ?? openDatabase)(config, log)
  try {
    return await work(engine, config, log)
  } finally {
    await engine.close()
  }
}
