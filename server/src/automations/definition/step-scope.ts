/** The values that expressions and references of a step can use. */
import type { MessageStatus } from '@postrider/contract'
import { merge } from '../../base/json/json.ts'
import type { ReferenceScope } from '../references/references.ts'
import type { RunStart, RunState } from '../run.ts'
import type { RunStore } from '../run-store.ts'

/** Statuses in order, for comparisons in conditions; failed and stopped messages are below all of them. */
const ordinals: Partial<Record<MessageStatus, number>> = {
  ENQUEUED: 1,
  DELAYED: 1,
  ROUTED: 1,
  SENT: 2,
  SIMULATED: 2,
  DELIVERED: 3,
  OPENED: 4,
  CLICKED: 5,
}

const names = ['Enqueued', 'Sent', 'Delivered', 'Opened', 'Clicked']

/** `MessageStatus.Opened` and `MessageStatus.OPENED`. */
const MessageStatuses = Object.fromEntries(
  names.flatMap((name, index) => [
    [name, index + 1],
    [name.toUpperCase(), index + 1],
  ]),
)
export const statusNames: ReadonlySet<string> = new Set(Object.keys(MessageStatuses))

/** The names with which an expression can begin. */
export const scopeNames: ReadonlySet<string> = new Set([
  'data',
  'profile',
  'recipient',
  'template',
  'brand',
  'refs',
  'MessageStatus',
])

/** The stored profile and message statuses are read only if a step refers to them. */
export interface ReferencedData {
  profile: boolean
  refs: boolean
}

export async function stepScope(
  run: RunStart,
  state: RunState,
  referenced: ReferencedData,
  store: RunStore,
): Promise<ReferenceScope> {
  const { brand, template, recipient, profile } = run.context
  const [storedProfile, refs] = await Promise.all([
    referenced.profile && recipient !== undefined ? store.profile(run.workspaceId, recipient) : undefined,
    referenced.refs ? refsOf(run, state, store) : {},
  ])
  return {
    data: state.data,
    profile: merge(storedProfile?.profile ?? {}, profile),
    recipient,
    template,
    brand,
    refs,
    MessageStatus: MessageStatuses,
  }
}

async function refsOf({ workspaceId }: RunStart, { refs, data }: RunState, store: RunStore): Promise<ReferenceScope> {
  const ids = Object.values(refs).flatMap(({ messageId }) => (typeof messageId === 'string' ? [messageId] : []))
  const statuses = ids.length > 0 ? await store.statuses(workspaceId, ids) : undefined
  const entries = Object.entries(refs).map(([name, ref]) => {
    if (typeof ref.messageId !== 'string') return [name, ref] as const
    const status = statuses?.get(ref.messageId)
    return [name, { ...ref, status: (status && ordinals[status]) ?? 0, status_name: status ?? null }] as const
  })
  return { ...Object.fromEntries(entries), data }
}
