/** send-list: a message to every subscriber of a list; with a data source, by a run for each that fetches their data first. */
import { isObject, jsonBytes } from '../../base/json/json.ts'
import { LIST_SOURCE } from '../../database/tables/automations/live-runs.ts'
import { readShared } from '../../messages/accept/read-send.ts'
import { locateErrors } from '../error-location.ts'
import { literal } from '../references/references.ts'
import type { StepBehavior, StepContext } from '../step.ts'
import { digest } from './shared/counter-key.ts'
import { many, reportUnreadableExpiry, sharedOf } from './shared/message-of-step.ts'
import { checkWebhook } from './shared/webhook-request.ts'

/** Runs of one commit, which takes about 10 ms. */
const PAGE = 500
/** Each run has its own copy of the data; a statement of this size takes a few tens of milliseconds. */
const PAGE_BYTES_MAX = 4 * 1_048_576

export default {
  checkWritten(fields, written) {
    const { data_source: source } = fields
    const webhook = isObject(source) ? source.webhook : undefined
    locateErrors(written.at, () => checkWebhook(webhook, 'data_source.webhook'))
    reportUnreadableExpiry(fields, written)
  },
  needsTemplate: () => true,
  fieldKinds: { names: ['list', 'template', 'brand', 'idempotency_key'], addresses: ['data_source.webhook.url'] },
  async run({ list, data_source: source, ...fields }, ctx) {
    const { run, state, store, id } = ctx
    const shared = sharedOf(fields, ctx)
    if (!source) {
      const addressing = { targets: [{ kind: 'list' as const, listId: list }], marks: { runId: run.id } }
      const ofMessages = { ...readShared(shared), template: shared.event }
      return many({ id: id('request'), kind: 'list', shared: ofMessages, addressing }, fields, ctx)
    }
    const { after, started } = state.waiting?.kind === 'list' ? state.waiting : { after: '', started: 0 }
    const { idempotency_key, idempotency_expiry } = fields
    const sends = { source, shared, idempotency_key, idempotency_expiry }
    const size = pageOf(sends)
    const page = await store.subscribers(run.workspaceId, list, after, size)
    const total = started + page.length
    const runs = page.map((recipient) => ofSubscriber(recipient, list, sends, ctx))
    if (page.length < size) return { kind: 'next', effects: { runs }, ref: { runs: total }, result: { runs: total } }
    const waiting = { kind: 'list', after: page.at(-1) ?? after, started: total } as const
    return { kind: 'page', waiting, effects: { runs }, result: { runs: total } }
  },
} satisfies StepBehavior<'send-list'>

type SubscriberSends = {
  source: { webhook: Record<string, unknown>; merge_strategy?: string }
  shared: ReturnType<typeof sharedOf>
  idempotency_key: string | undefined
  idempotency_expiry: unknown
}

/** The size of a page depends on the data that each run copies. */
const pageOf = (sends: SubscriberSends) => Math.max(1, Math.min(PAGE, Math.floor(PAGE_BYTES_MAX / jsonBytes(sends))))

/** The fields are values by now: they are wrapped so that they are not searched for references again. */
function ofSubscriber(recipient: string, list: string, sends: SubscriberSends, { run, now, id, start }: StepContext) {
  const { source, shared, idempotency_key: key, idempotency_expiry: expiry } = sends
  const { event, data, brand, override } = shared
  const { webhook, merge_strategy } = source
  const params = { ...(webhook.params as object | undefined), recipientId: recipient }
  const steps = [
    {
      action: 'fetch-data',
      webhook: literal({ ...webhook, params }),
      merge_strategy: merge_strategy ?? 'overwrite',
    },
    {
      action: 'send',
      ...(override && { override: literal(override) }),
      // Each subscriber has a key derived from the key of the list.
      ...(key !== undefined && { idempotency_key: literal(digest([key, recipient])) }),
      ...(expiry !== undefined && { idempotency_expiry: literal(expiry) }),
    },
  ]
  const child = start({
    id: id(`list ${recipient}`),
    workspaceId: run.workspaceId,
    mode: run.mode,
    automation: { steps },
    context: { template: event, recipient, data, ...(brand !== undefined && { brand }) },
    source: [`${LIST_SOURCE}${run.id}`],
    depth: run.depth + 1,
    root: run.root,
    created: now,
    // Messages of a list belong to the run with the `send-list` step, with a data source or without.
    marks: { ...run.marks, listId: list, runId: run.id },
  })
  // The token of the run cancels them too, even after the run has ended.
  return run.cancelationToken === undefined ? child : { ...child, cancelationToken: run.cancelationToken }
}
