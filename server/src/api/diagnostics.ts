/** The checks that a server runs for `postrider doctor`: its limits, and signing in to each integration. */
import type { Channel } from '@postrider/contract'
import type { Reply } from '../base/exchange.ts'
import { OPEN_FILES_HINT, OPEN_FILES_NEEDED, openFilesMax } from '../base/open-files.ts'
import { SECOND } from '../base/time/duration.ts'
import { countHeld } from '../database/tables/messages/held.ts'
import { type IntegrationRow, listIntegrations, openCredentials } from '../database/tables/workspace/integrations.ts'
import { isSandbox, type Provider, type SignIn } from '../providers/provider.ts'
import type { CallContext } from './call.ts'

export interface DiagnosticCheck {
  name: string
  state: 'ok' | 'warn' | 'fail' | 'skip'
  detail: string
  hint?: string
}

/** A sign-in over half the world takes a second or two; the caller of this waits. */
const SIGN_IN_MS = 15 * SECOND
// A workspace has a handful; they are checked concurrently.
const INTEGRATIONS_MAX = 100

export async function diagnose(ctx: CallContext): Promise<DiagnosticCheck[]> {
  const { app, caller } = ctx
  const { rows } = await listIntegrations(app.database, caller.workspaceId, undefined, INTEGRATIONS_MAX)
  const held = await heldCheck(ctx)
  const enabled = rows.filter((row) => row.enabled)
  if (enabled.length === 0)
    return [
      openFiles(),
      ...held,
      { name: 'providers', state: 'warn', detail: 'no integration is enabled', hint: 'Add one: POST /providers.' },
    ]
  return [openFiles(), ...held, ...(await Promise.all(enabled.map((row) => signInCheck(ctx, row))))]
}

/** A warning while messages wait for a repair. */
async function heldCheck({ app, caller }: CallContext): Promise<DiagnosticCheck[]> {
  const held = await countHeld(app.database, caller.workspaceId)
  if (held === 0) return []
  const detail =
    held === 1
      ? '1 message waits for the repair of an integration'
      : `${held} messages wait for the repair of an integration`
  return [
    {
      name: 'held messages',
      state: 'warn',
      detail,
      hint: 'List them: GET /messages?status=HELD. They go on when the integration is changed, or by POST /messages/release.',
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

/** Signs in to an integration, or makes an authorized call without side effects; nothing is sent. */
export async function signInCheck({ app, caller }: CallContext, row: IntegrationRow): Promise<DiagnosticCheck> {
  const provider = app.providers.get(row.provider)
  const name = nameOf(row, provider)
  if (!provider) return { name, state: 'fail', detail: 'this version has no such provider' }
  if (isSandbox(provider)) return { name, state: 'skip', detail: 'built in: it keeps messages and sends nothing' }
  const secrets = openCredentials(app.secretKey, { workspaceId: caller.workspaceId, id: row.id }, row.secrets)
  if (!secrets)
    return {
      name,
      state: 'fail',
      detail: 'its secrets were encrypted with another secret key',
      hint: `Give them anew: PUT /providers/${row.id}.`,
    }
  const signIn = provider.signIn?.({ ...row.settings, ...secrets }, app.clock.now())
  if (!signIn) return { name, state: 'skip', detail: 'it cannot be checked without sending a message' }
  return await checkSignIn(app, name, signIn)
}

/** A sign-in may take two steps: a token, and what it opens. */
async function checkSignIn(app: CallContext['app'], name: string, signIn: SignIn): Promise<DiagnosticCheck> {
  const limits = { signal: AbortSignal.timeout(SIGN_IN_MS), timeoutMs: SIGN_IN_MS }
  const reply = await app.transport.probe(signIn.request, limits)
  const next = signIn.failureIn(reply) === undefined ? signIn.next?.(reply) : undefined
  return next ? judge(name, next, await app.transport.probe(next.request, limits)) : judge(name, signIn, reply)
}

function judge(name: string, { request, failureIn }: SignIn, reply: Reply): DiagnosticCheck {
  const fault = failureIn(reply)
  const place = placeOf(request)
  if (fault === undefined) return { name, state: 'ok', detail: `${place} ${successOf(request)}` }
  const isRefused = reply.kind === 'failure' && reply.failure === 'address_refused'
  const hint = isRefused
    ? 'Name its network in POSTRIDER_ALLOW_PRIVATE_NETWORK of the server.'
    : reply.kind === 'failure'
      ? 'Look at its settings, the name service and firewalls on the way.'
      : 'Look at the credentials in its settings.'
  return { name, state: 'fail', detail: fault.includes(place) ? fault : `${place}: ${fault}`, hint }
}

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
