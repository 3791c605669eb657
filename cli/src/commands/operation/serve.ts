/** `postrider serve`: runs the service until a signal stops it. */

import type { Config } from '@postrider/server'
import type { Command } from 'commander'
import { exitCodes } from '../../failure.ts'
import { plain, utcTime } from '../../plain.ts'
import { serverModules } from '../../server-modules.ts'
import { type Session, sessionOf } from '../../session.ts'

/** An attempt in progress takes at most 30 s; after that the process exits without waiting. */
const STOP_TIMEOUT_MS = 40_000
/** Signals that come closer together are one order. */
const TOGETHER_MS = 500

export interface Started {
  url: string
  /** Undefined where none is served. */
  dashboardUrl?: string
  /** Undefined where none could be made. */
  signInLink?: string | undefined
  pausedSince?: number
  firstStart?: { apiKey?: string; keyId?: string; curl: string }
  /** Standard output is kept, as the log of a service. */
  isLogged?: boolean
}

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Run the service. All settings are environment variables.')
    .option('--paused', 'accept requests but deliver nothing until postrider resume, also after restarts')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider serve
  $ postrider serve --paused
  $ POSTRIDER_PORT=8080 POSTRIDER_DATA_DIR=/var/lib/postrider postrider serve
  $ POSTRIDER_DATABASE_URL=postgres://… POSTRIDER_SECRET_KEY_FILE=/run/secrets/key postrider serve

Variables (each also as NAME_FILE, the name of a file that holds the value):
  POSTRIDER_PORT, POSTRIDER_HOST      where the API listens (4600, 127.0.0.1)
  POSTRIDER_DATA_DIR                  local database and its secret key (./data)
  POSTRIDER_DATABASE_URL              a PostgreSQL server instead of the local database
  POSTRIDER_DATABASE_CONNECTIONS      connections to that server, beside one that listens (10)
  POSTRIDER_POSTGRES_BIN              folder of the PostgreSQL programs (those of npm, else of the system)
  POSTRIDER_SECRET_KEY                32 bytes in base64, required with a server
  POSTRIDER_API_KEY                   an API key that is valid from the first start
  POSTRIDER_ROLE                      all, api or worker (all)
  POSTRIDER_PUBLIC_URL                public address of this server, without a user name or query
  POSTRIDER_TRUSTED_PROXIES           CIDRs of proxies whose X-Forwarded-For is believed (none)
  POSTRIDER_DASHBOARD                 on, or off: whether the dashboard is served at /app/ (on)
  POSTRIDER_ALLOW_PRIVATE_NETWORK     private addresses that may be called: false, true or CIDRs (false)
  POSTRIDER_LMTP_PORT                 port on which bounces come in by LMTP (off)
  POSTRIDER_LMTP_HOST                 address on which LMTP listens (127.0.0.1)
  POSTRIDER_RETENTION_DAYS            days until finished messages are deleted, in whole weeks (90)
  POSTRIDER_RATE_LIMITS               requests per minute, such as events.put=20, or recommended (none)
  POSTRIDER_STRICT_SENDS              environments whose sends are strict: production, test (none)
  POSTRIDER_LEASE_SECONDS             duration of the lease of a message (45)
  POSTRIDER_LOG_LEVEL                 debug, info, warn, error or silent (info)

Use --paused for a restored copy: the server answers requests, but sends no messages and no webhooks, and runs no
automations and no schedules. The pause is stored in the database and applies to every node.

SIGTERM or Ctrl+C stops the server after the attempts in progress; a second signal stops it immediately.`,
    )
    .action(async ({ paused }: { paused?: boolean }, command: Command) => serve(sessionOf(command), paused === true))
}

async function serve({ terminal }: Session, paused: boolean): Promise<void> {
  const stopping = stopSignal()
  const { readConfig, startServer } = await serverModules().catch(withTrace)
  const config: Config = readConfig()
  const server = await startServer(config, undefined, { paused })
  const { url, firstStart, pausedSince } = server
  // The server runs, and its key is shown now or never.
  const signInLink = await server.signInLink().catch(() => undefined)
  terminal.line(
    {
      ...{ listening: url, ...firstStart },
      ...(signInLink !== undefined && { signInLink }),
      ...(pausedSince !== undefined && { paused: true }),
    },
    banner({ ...server, signInLink, isLogged: !terminal.isWatched }, (text) => terminal.style('bold', text)),
  )
  await stopping
  terminal.note('Stopping after the attempts in progress. A second signal stops immediately.')
  await server.stop().catch((error: Error) => leave(error.message))
  process.exit(exitCodes.clean)
}

/** The service's own code failed while it was loaded: with source maps, as in development, the trace names file and line. */
function withTrace(error: unknown): never {
  if (process.sourceMapsEnabled && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  throw error
}

/** Listening for signals begins before anything is started: the first process of a container has no other way to end. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined
    const onSignal = () => {
      // Ctrl+C under npm comes twice: from the terminal and from npm.
      if (first !== undefined && Date.now() - first < TOGETHER_MS) return
      if (first !== undefined) process.exit(exitCodes.failed)
      first = Date.now()
      // Neither a start nor a stop that hangs outlives the order to stop.
      setTimeout(() => leave(`Not stopped within ${STOP_TIMEOUT_MS / 1_000} s`), STOP_TIMEOUT_MS).unref()
      resolve()
    }
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal)
  })
}

/** Open handles would keep the process alive. */
function leave(message: string): never {
  process.stderr.write(`error: ${message}\n`)
  process.exit(exitCodes.failed)
}

export function banner(
  { url, dashboardUrl, signInLink, firstStart, pausedSince, isLogged = false }: Started,
  bold: (text: string) => string,
): string {
  const lines = [
    `Postrider is listening on ${bold(plain(url))}`,
    '',
    ...(dashboardUrl === undefined ? [] : [`  Dashboard      ${bold(plain(signInLink ?? dashboardUrl))}`]),
    ...(signInLink === undefined
      ? []
      : ['                 This link signs you in: once, within ten minutes. Another one: postrider open']),
    `  Guides         ${plain(url)}/docs/guides`,
    `  API reference  ${plain(url)}/docs`,
  ]
  if (firstStart?.apiKey)
    lines.push(
      `  API key        ${bold(plain(firstStart.apiKey))}`,
      '                 Store it now: it cannot be shown again.',
      ...(isLogged && firstStart.keyId ? replacement(firstStart.keyId) : []),
    )
  if (!firstStart) lines.push('  API key        created at the first start; if it is lost: postrider keys create')
  if (pausedSince !== undefined)
    lines.push('', `Deliveries have been paused since ${utcTime(pausedSince)}. To resume them: postrider resume`)
  if (firstStart) lines.push('', 'Send a first message:', '', indented(firstStart.curl))
  return [...lines, ''].join('\n')
}

const replacement = (keyId: string) => [
  '                 It stays in the log of this service. To make another one, and revoke it:',
  '                   postrider keys create --name operator',
  `                   postrider keys revoke ${plain(keyId)}`,
]

/** Lines of the command stay lines, so that it works as it stands. */
const indented = (text: string) =>
  text
    .split('\n')
    .map((line) => `  ${line.trimEnd()}`)
    .join('\n')
