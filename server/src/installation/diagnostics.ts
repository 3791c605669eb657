/** The checks that a server runs for `postrider doctor`: its limits, signing in to each integration, the DNS records of senders. */
import { type Channel, keyWarningMs } from '@postrider/contract'
import type { Reply } from '../base/exchange.ts'
import { OPEN_FILES_HINT, OPEN_FILES_NEEDED, openFilesMax } from '../base/open-files.ts'
import { quoted } from '../base/quote.ts'
import type { SecretKey } from '../base/secret.ts'
import { iso } from '../base/time/clock.ts'
import { SECOND } from '../base/time/duration.ts'
import type { DatabaseHealth } from '../database/availability.ts'
import type { Reader } from '../database/engine.ts'
import type { MigrationStatus } from '../database/migrate.ts'
import { countHeld } from '../database/tables/messages/held-messages.ts'
import { countWaitingRequests } from '../database/tables/messages/stopped-requests.ts'
import { isExpired, type KeyRow, listExpiringKeys } from '../database/tables/workspace/api-keys.ts'
import { type IntegrationRow, listIntegrations, openCredentials } from '../database/tables/workspace/integrations.ts'
import { isSandbox, type Provider, type SignIn } from '../providers/provider.ts'
import { type SettingsSubject, settingsAbout } from '../providers/settings.ts'
import type { OpenNameRecords } from '../transport/name-records.ts'
import type { Transport } from '../transport/transport.ts'
import { check, type DiagnosticCheck } from './diagnostic-check.ts'
import { senderDomainChecks } from './sender-domains/sender-domains.ts'
import { type Sender, senderOf } from './sender-domains/senders.ts'

/** The integrations of a workspace, with what signing in to them needs. */
export interface SignInContext {
  workspaceId: number
  secretKey: SecretKey
  providers: ReadonlyMap<string, Provider>
  transport: Pick<Transport, 'probe'>
  now(): number
}

/** A sign-in over half the world takes a second or two; the caller of this waits. */
const SIGN_IN_MS = 15 * SECOND
// A workspace has a handful; they are checked concurrently.
const INTEGRATIONS_MAX = 100

export interface DiagnosticsContext extends SignInContext {
  openNameRecords: OpenNameRecords
}

export async function diagnose(database: Reader, context: DiagnosticsContext): Promise<DiagnosticCheck[]> {
  const { rows } = await listIntegrations(database, context.workspaceId, undefined, INTEGRATIONS_MAX)
  const checks = [
    ...(await heldCheck(database, context.workspaceId)),
    ...(await pausedCheck(database, context.workspaceId, context.now())),
    ...(await keysCheck(database, context.workspaceId, context.now())),
  ]
  const enabled = rows.filter((row) => row.enabled)
  if (enabled.length === 0)
    return [
      openFiles(),
      ...checks,
      { name: 'providers', state: 'warn', detail: 'no integration is enabled', hint: 'Add one: POST /providers.' },
    ]
  const [signIns, senderDomains] = await Promise.all([
    Promise.all(enabled.map((row) => signInCheck(context, row))),
    senderDomainChecks(sendersOf(context, enabled), context.openNameRecords),
  ])
  return [openFiles(), ...checks, ...signIns, ...senderDomains]
}

/** The senders of the integrations that send mail. */
const sendersOf = ({ workspaceId, secretKey, providers }: SignInContext, rows: readonly IntegrationRow[]): Sender[] =>
  rows.flatMap((row) => {
    const provider = providers.get(row.provider)
    const secrets = openCredentials(secretKey, { workspaceId, id: row.id }, row.secrets)
    return (provider && senderOf(provider, providers, row.settings, secrets)) ?? []
  })

/** A warning while messages wait for a repair. */
export async function heldCheck(database: Reader, workspaceId: number): Promise<DiagnosticCheck[]> {
  const count = await countHeld(database, workspaceId)
  if (count === 0) return []
  const detail =
    count === 1
      ? '1 message waits for the repair of an integration'
      : `${count} messages wait for the repair of an integration`
  return [
    {
      name: 'held messages',
      state: 'warn',
      detail,
      hint: 'List them: GET /messages?status=HELD. They go on when the integration is changed, or by POST /messages/release.',
    },
  ]
}

/** A warning while requests are paused: nothing else ends a pause. */
async function pausedCheck(database: Reader, workspaceId: number, now: number): Promise<DiagnosticCheck[]> {
  const { paused: count } = await countWaitingRequests(database, workspaceId, now)
  if (count === 0) return []
  return [
    {
      name: 'paused requests',
      state: 'warn',
      detail:
        count === 1 ? '1 request is paused, with its messages' : `${count} requests are paused, with their messages`,
      hint: 'List them: GET /requests?status=PAUSED. They wait until POST /requests/<id>/resume or cancel.',
    },
  ]
}

/** More than these are not named. */
const NAMED_MAX = 5

/** A warning before keys expire, and as long after it: their callers look for the cause of a 401. */
async function keysCheck(database: Reader, workspaceId: number, now: number): Promise<DiagnosticCheck[]> {
  const among = (from: number, to: number) =>
    listExpiringKeys(database, workspaceId, { from, to, limit: NAMED_MAX + 1 })
  // Those that can still be replaced in time come first.
  const keys = [...(await among(now, now + keyWarningMs)), ...(await among(now - keyWarningMs, now)).reverse()]
  if (keys.length === 0) return []
  const sentence = (key: KeyRow) =>
    `${quoted(key.name)} (${key.id}) ${isExpired(key, now) ? 'expired' : 'expires'} on ${iso(key.expires ?? now)}`
  const more = keys.length > NAMED_MAX ? ['others follow'] : []
  return [
    {
      name: 'API keys',
      state: 'warn',
      detail: [...keys.slice(0, NAMED_MAX).map(sentence), ...more].join('; '),
      hint: 'Replace one that is used: postrider keys replace <id>. Revoke one that is not: postrider keys revoke <id>.',
    },
  ]
}

export function openFiles(limit = openFilesMax()): DiagnosticCheck {
  const name = 'open files'
  if (limit === undefined) return { name, state: 'skip', detail: 'the system reports no limit' }
  if (limit >= OPEN_FILES_NEEDED) return { name, state: 'ok', detail: `${limit} at once` }
  const detail = `${limit} at once, connections among them; with many callers and provider calls about ${OPEN_FILES_NEEDED} are needed`
  return { name, state: 'warn', detail, hint: OPEN_FILES_HINT }
}

async function signInCheck(context: SignInContext, row: IntegrationRow): Promise<DiagnosticCheck> {
  const { settings: _, ...result } = await signIn(context, row)
  return result
}

/** A failed one names the settings to correct. */
interface SignInResult extends DiagnosticCheck {
  settings?: string[]
}

/** Signs in to an integration, or makes an authorized call without side effects; nothing is sent. */
export async function signIn(context: SignInContext, row: IntegrationRow): Promise<SignInResult> {
  const { workspaceId, secretKey, providers, transport, now } = context
  const provider = providers.get(row.provider)
  const name = nameOf(row, provider)
  if (!provider) return { name, state: 'fail', detail: 'this version has no such provider' }
  if (isSandbox(provider)) return { name, state: 'skip', detail: 'built in: it keeps messages and sends nothing' }
  const secrets = openCredentials(secretKey, { workspaceId, id: row.id }, row.secrets)
  if (!secrets)
    return {
      name,
      state: 'fail',
      detail: 'its secrets were encrypted with another secret key',
      hint: `Give them anew: PUT /providers/${row.id}.`,
    }
  const settings = { ...row.settings, ...secrets }
  const request = provider.signIn?.(settings, now())
  if (!request) return { name, state: 'skip', detail: 'it cannot be checked without sending a message' }
  const { about, ...result } = await checkSignIn(transport, name, request)
  const names = about && settingsAbout(provider, about, settings)
  return { ...result, ...(names && names.length > 0 && { settings: names }) }
}

interface JudgedSignIn extends DiagnosticCheck {
  about?: SettingsSubject
}

/** A sign-in may take two steps: a token, and what it opens. */
async function checkSignIn(transport: SignInContext['transport'], name: string, signIn: SignIn): Promise<JudgedSignIn> {
  const limits = { signal: AbortSignal.timeout(SIGN_IN_MS), timeoutMs: SIGN_IN_MS }
  const reply = await transport.probe(signIn.request, limits)
  const next = signIn.failureIn(reply) === undefined ? signIn.next?.(reply) : undefined
  return next ? judge(name, next, await transport.probe(next.request, limits)) : judge(name, signIn, reply)
}

function judge(name: string, { request, failureIn }: SignIn, reply: Reply): JudgedSignIn {
  const failure = failureIn(reply)
  const place = placeOf(request)
  if (failure === undefined) return { name, state: 'ok', detail: `${place} ${successOf(request)}` }
  const detail = failure.includes(place) ? failure : `${place}: ${failure}`
  // Its detail says what to set.
  if (reply.kind === 'failure' && reply.failure === 'unencrypted')
    return { name, state: 'fail', detail, about: 'encryption' }
  const about = reply.kind === 'failure' ? 'address' : 'credentials'
  const hint = connectionHint(failure, HINTS[about])
  // Another hint names what is wrong, and it is not in a setting.
  return { name, state: 'fail', detail, ...(hint !== undefined && { hint }), ...(hint === HINTS[about] && { about }) }
}

const HINTS = {
  address: 'Look at its settings, the name service and firewalls on the way.',
  credentials: 'Look at the credentials in its settings.',
}

/** By the error of a sign-in or of an attempt, which begins with the kind of a failed connection. Undefined where it says what to set. */
export function connectionHint(error: string, otherwise: string | undefined): string | undefined {
  if (/\bunencrypted: .*\bSet /.test(error)) return undefined
  const [, host] = /\baddress_refused: (\S+)/.exec(error) ?? []
  if (host !== undefined)
    return `Start the server with POSTRIDER_ALLOW_PRIVATE_NETWORK=${privateNetworkOf(host) ?? '<the network of its address>'} (or true).`
  if (/\btls: .*certificate/.test(error))
    return 'Look at the certificate of the provider: it must be valid today, for this name and by a trusted authority. To trust another authority, name its file in NODE_EXTRA_CA_CERTS when Postrider starts.'
  return otherwise
}

const PRIVATE_NETWORKS: readonly (readonly [RegExp, string])[] = [
  [/^(localhost|127\..*)$/, '127.0.0.0/8'],
  [/^10\./, '10.0.0.0/8'],
  [/^172\.(1[6-9]|2\d|3[01])\./, '172.16.0.0/12'],
  [/^192\.168\./, '192.168.0.0/16'],
  [/^\[?::1\]?$/, '::1/128'],
]

/** Undefined for a name, whose address the error does not reveal. */
const privateNetworkOf = (host: string) => PRIVATE_NETWORKS.find(([pattern]) => pattern.test(host))?.[1]

function placeOf(request: SignIn['request']): string {
  if (request.kind === 'http') return new URL(request.url).host
  const { host, port } = request.kind === 'connect' ? request : request.server
  return `${host}:${port}`
}

function successOf(request: SignIn['request']): string {
  if (request.kind === 'connect') return 'takes connections'
  return request.kind === 'http' || request.server.user !== undefined ? 'accepts the credentials' : 'is ready for mail'
}

function nameOf({ provider: key, channel, title }: IntegrationRow, provider: Provider | undefined): string {
  const channels: readonly (Channel | string)[] = channel === null ? (provider?.channels ?? []) : [channel]
  // One that serves every channel names none.
  const about = [channels.length === 1 ? channels[0] : '', title === key ? '' : title].filter(Boolean).join(', ')
  return `provider ${key}${about && ` (${about})`}`
}

const VERSION_LEAST = 15
// A few seconds make histories look odd; minutes make leases end early and deadlines wrong.
const SKEW_WARN_MS = 2_000
const SKEW_FAIL_MS = 300_000

/** A database that would break a promise does not pass. */
export function databaseChecks({ versionNumber, fsync, synchronousCommit, skewMs }: DatabaseHealth): DiagnosticCheck[] {
  const major = Math.floor(versionNumber / 10_000)
  return [
    major >= VERSION_LEAST
      ? check('database', 'ok', `PostgreSQL ${major}.${versionNumber % 10_000}`)
      : check('database', 'fail', `PostgreSQL ${major} is too old`, `Use version ${VERSION_LEAST} or newer.`),
    fsync === 'on'
      ? check('fsync', 'ok', 'on')
      : check('fsync', 'fail', fsync, 'Accepted messages can be lost. Set fsync = on in postgresql.conf.'),
    synchronousCommit === 'off'
      ? check(
          'synchronous_commit',
          'fail',
          'off',
          'A proxy or pooler overrides the setting of the session. Configure it to keep: set synchronous_commit = on',
        )
      : check('synchronous_commit', 'ok', synchronousCommit),
    clock(skewMs),
  ]
}

function clock(skewMs: number): DiagnosticCheck {
  const apart = Math.abs(skewMs)
  if (apart <= SKEW_WARN_MS) return check('clock', 'ok', `${apart} ms from the clock of the database`)
  const detail = `${(apart / 1_000).toFixed(1)} s ${skewMs > 0 ? 'behind' : 'ahead of'} the database's`
  return check('clock', apart > SKEW_FAIL_MS ? 'fail' : 'warn', detail, 'Synchronize both machines with NTP.')
}

export const migrationsCheck = ({ applied, pending }: MigrationStatus): DiagnosticCheck =>
  pending.length === 0
    ? check('migrations', 'ok', `version ${applied}`)
    : check(
        'migrations',
        'warn',
        `pending: ${pending.join(', ')}`,
        'The next start applies them, or: postrider migrate',
      )
