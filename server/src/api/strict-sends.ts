/** Strict sends: recognizing them, and the 400 for faults that would otherwise appear at delivery. */
import type { InputOf } from '@postrider/contract'
import { invalidRequest } from '../base/errors.ts'
import { textsOf } from '../base/finding.ts'
import { didYouMean, nearestName, quoted } from '../base/quote.ts'
import { zoneFindings } from '../base/time/zone-findings.ts'
import { findAudience, listAudiences } from '../database/tables/audiences/audiences.ts'
import { findList, listLists } from '../database/tables/lists/lists.ts'
import { sendableNames } from '../database/tables/notifications/notifications.ts'
import { findTenant, listTenants } from '../database/tables/tenants/tenants.ts'
import { unknownRoutes } from '../messages/accept/message-names.ts'
import type { PlannedSend } from '../messages/accept/send-problems.ts'
import { completed, expiryWarning, readKeyExpiry, type SharedInput } from '../messages/send.ts'
import type { Target } from '../recipients/read-recipients.ts'
import { environmentOf } from './authentication.ts'
import type { AppContext, CallContext } from './call.ts'
import { isReplay } from './idempotency.ts'
import { handling, warn } from './warnings.ts'

/** More of them say nothing that the first ones do not. */
const PROBLEMS_MAX = 10
/** The first names of a kind that a misspelled one is compared with. */
const COMPARED_MAX = 200

/** The one place that says whether a send is strict: its query, else its header, else the setting of its environment. */
export function isStrict(
  { query }: Pick<InputOf<'send.send'>, 'query'>,
  prefer: string | undefined,
  workspaceId: number,
  { strictSends }: Pick<AppContext, 'strictSends'>,
): boolean {
  if (query.strict !== undefined) return query.strict
  const preferred = handling(prefer)
  return preferred === undefined ? strictSends.has(environmentOf(workspaceId)) : preferred === 'strict'
}

/** Throws a 400 that names everything found, and the warnings of the call. */
export async function refuseProblems(send: PlannedSend, ctx: CallContext): Promise<void> {
  // A send accepted under its key stays accepted, whatever has changed since.
  if (await isReplay(ctx)) return
  const { workspaceId, mode } = ctx.caller
  const [problems] = await ctx.app.pipeline.sendProblems(workspaceId, mode, [send])
  const shared = await withNearestName(problems?.shared ?? [], send.input, ctx)
  refuse([...(ctx.warnings ?? []), ...shared, ...(problems?.ofMessage ?? [])])
}

interface SendToMany {
  shared: SharedInput
  targets: readonly Target[]
  notBefore: number | undefined
}

/** A strict send to many is refused for its problems; another one warns of lists, audiences and tenants that do not exist. */
export async function checkSendToMany(send: SendToMany, ctx: CallContext): Promise<void> {
  if (ctx.strict) return refuseProblemsOfMany(send, ctx)
  const missing = await Promise.all(send.targets.slice(0, PROBLEMS_MAX).map((target) => missingTarget(target, ctx)))
  warn(ctx, ...missing.flat(), ...zoneWarnings(send.targets), ...unknownRoutes(send.shared))
}

/** Time zones that recipients have in the send, and that do not exist. */
function zoneWarnings(targets: readonly Target[]): string[] {
  const warnings: string[] = []
  let position = 0
  for (const target of targets) {
    for (const user of target.kind === 'users' ? target.users : [null]) {
      if (warnings.length >= PROBLEMS_MAX) return warnings
      if (user?.profile) warnings.push(...textsOf(zoneFindings(user.profile, `recipient ${position}`)))
      position += 1
    }
  }
  return warnings
}

/** Those of a list, an audience or a tenant are checked when their messages are made. */
async function refuseProblemsOfMany({ shared, targets, notBefore }: SendToMany, ctx: CallContext): Promise<void> {
  const { workspaceId, mode } = ctx.caller
  const users = targets.flatMap((target) => (target.kind === 'users' ? target.users.flatMap((user) => user ?? []) : []))
  // A user without a profile stands for recipients that are not known yet.
  const owns = users.length > 0 ? users : [{ recipient: '' }]
  const delayed = notBefore === undefined ? {} : { notBefore }
  const sends = owns.map((user) => ({ input: completed(shared, user), ...delayed }))
  const [bySend, ...missing] = await Promise.all([
    ctx.app.pipeline.sendProblems(workspaceId, mode, sends),
    ...targets.map((target) => missingTarget(target, ctx)),
  ])
  refuse([
    ...(ctx.warnings ?? []),
    ...missing.flat(),
    ...(await withNearestName(
      bySend.flatMap((problems) => problems.shared),
      shared,
      ctx,
    )),
    ...(users.length > 0 ? bySend : []).flatMap(({ ofMessage: messages }, index) =>
      messages.map((problem) => `Recipient ${index}: ${problem}`),
    ),
  ])
}

/** A workspace has some hundred. */
const NAMES_COMPARED_MAX = 5_000

/** The sentence that there is no such template or event, with the name of the nearest one. */
async function withNearestName(
  problems: readonly string[],
  { event }: Pick<SharedInput, 'event'>,
  ctx: CallContext,
): Promise<readonly string[]> {
  const at = problems.findIndex((problem) => isUnknown(problem, event))
  return at < 0 ? problems : problems.with(at, `${problems[at]}${didYouMean(await nearestSendable(event, ctx))}`)
}

const isUnknown = (sentence: string, event: string | undefined): event is string =>
  sentence === `Unknown template ${quoted(event)}.` || sentence === `Unknown event ${quoted(event)}.`

/** The event, template or alias that is nearest to a name of a send that is none. */
export async function nearestSendable(name: string, { app, caller }: CallContext): Promise<string | undefined> {
  return nearestName(name, await sendableNames(app.database, caller.workspaceId, NAMES_COMPARED_MAX))
}

function refuse(problems: readonly string[]): void {
  const different = [...new Set(problems)]
  if (different.length === 0) return
  const rest = different.length - PROBLEMS_MAX
  const shown = different.slice(0, PROBLEMS_MAX).join(' ')
  throw invalidRequest(`The strict send is refused. ${shown}${rest > 0 ? ` There are ${rest} more problems.` : ''}`, {
    code: 'strict_send_refused',
  })
}

async function missingTarget(
  target: Target,
  { app: { database }, caller: { workspaceId } }: CallContext,
): Promise<string[]> {
  if (target.kind === 'list' && !(await findList(database, workspaceId, target.listId)))
    return unknown('list', target.listId, await listLists(database, workspaceId, {}, COMPARED_MAX))
  if (target.kind === 'audience' && !(await findAudience(database, workspaceId, target.audienceId)))
    return unknown('audience', target.audienceId, await listAudiences(database, workspaceId, undefined, COMPARED_MAX))
  if (target.kind === 'tenant' && !(await findTenant(database, workspaceId, target.tenantId)))
    return unknown('tenant', target.tenantId, await listTenants(database, workspaceId, everyTenant, COMPARED_MAX))
  return []
}

const everyTenant = { cursor: undefined, parentId: undefined }

function unknown(what: string, id: string, { rows }: { rows: readonly { id: string }[] }): string[] {
  const near = nearestName(
    id,
    rows.map((row) => row.id),
  )
  return [`Unknown ${what} ${quoted(id)}.${didYouMean(near)}`]
}

/** An expiry of the call's idempotency key that is not used. */
export function expiryWarnings({ header, now }: Pick<CallContext, 'header' | 'now'>): string[] {
  const expiry = header('x-idempotency-expiration')
  if (!expiry || readKeyExpiry(expiry, now) !== undefined) return []
  return [expiryWarning('x-idempotency-expiration')]
}
