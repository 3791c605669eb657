/** Previews of the messages of a simulation and of the recipients of its sends to many: the first of them explained, and the events for digests. */
import type { Explanation, MessageStatus, SimulatedMessage } from '@postrider/contract'
import { childId } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { iso } from '../../base/time/timestamp.ts'
import type { DigestFacts } from '../../messages/facts.ts'
import { completed, type SendInput } from '../../messages/send.ts'
import type { Explained, ExplainOptions } from '../../messages/timeline/explain.ts'
import type { Target } from '../../recipients/read-recipients.ts'
import type { ExpandedRecipient, Place, SourcePage } from '../../recipients/sources.ts'
import type { RequestEffect } from '../run-store.ts'
import type { SimulatedRequest, SimulatedSend, Written } from './in-memory-data.ts'
import type { OverriddenData } from './overrides.ts'

/** An event that a previewed message about a topic adds to a digest. */
export interface CollectedEvent {
  at: number
  recipient: string
  /** Empty without a tenant. */
  tenantId: string
  data: JsonObject
  facts: DigestFacts
}

export interface PreviewRequest {
  id: string
  input: SendInput
  /** When the message is created. */
  at: number
  notBefore?: number | undefined
  listId?: string | undefined
  written: Written
  /** Omits the explanation. */
  bare?: boolean
}

export type PreviewMessage = (message: PreviewRequest) => Promise<SimulatedMessage>

/** Explained messages of a simulation: each is a decision with its content. */
const EXPLAINED_MAX = 100

/** Decisions on a delayed message: it is decided again at each opening time, with the profile of that time. */
const OPENINGS_MAX = 10

interface Decision {
  /** When the message is decided next. */
  due: number
  /** Number of decisions. */
  times: number
  /** The final explanation. */
  explanation?: Explanation
}

export function createMessagePreviews(
  explain: (input: SendInput, options: ExplainOptions) => Promise<Explained>,
  given: Pick<OverriddenData, 'suppliedProfile' | 'storedList'>,
) {
  const decisions = new Map<string, Decision>()
  const collected: CollectedEvent[] = []

  const decideOnce = async ({ input, at, notBefore, listId, written }: PreviewRequest, known: Decision) => {
    const { recipient, tenantId = '', data = {} } = input
    const { due } = known
    const storedProfile = written.profile(recipient, due > at ? due : undefined) ?? given.suppliedProfile(recipient)
    const options = { notBefore, at: due, listId: given.storedList(listId), storedProfile }
    const { explanation, digest: facts } = await explain(input, options)
    const { status, due_at: later } = explanation.decision
    known.times += 1
    if (status === 'DELAYED' && later !== undefined && later > due && known.times < OPENINGS_MAX) known.due = later
    else known.explanation = explanation
    if (facts) collected.push({ at: due, recipient, tenantId, data, facts })
  }
  /** Decides on the message until this time; undefined if too many messages are explained. */
  const decide = async (message: PreviewRequest, by: number): Promise<Decision | undefined> => {
    const known = decisions.get(message.id) ?? { due: dueOf(message), times: 0 }
    if (!decisions.has(message.id) && decisions.size >= EXPLAINED_MAX) return undefined
    decisions.set(message.id, known)
    while (!known.explanation && known.due <= by) await decideOnce(message, known)
    return known
  }
  return {
    collected,
    /** The status at a time, for a message whose status the caller does not supply. */
    async statusOf(message: PreviewRequest, now: number): Promise<MessageStatus> {
      const { due, explanation } = (await decide(message, now)) ?? { due: dueOf(message) }
      if (due > now) return 'DELAYED'
      const status = explanation?.decision.status ?? 'ROUTED'
      return status === 'ROUTED' ? 'SENT' : status
    },
    previewMessage: async (message: PreviewRequest): Promise<SimulatedMessage> => {
      const { id, input, at, bare = false } = message
      const known = bare ? undefined : await decide(message, Number.POSITIVE_INFINITY)
      const { due, explanation } = known ?? { due: dueOf(message) }
      const goes = explanation && ['ROUTED', 'SIMULATED'].includes(explanation.decision.status)
      const selected = goes ? explanation.candidates.filter((candidate) => candidate.selected) : []
      return {
        message_id: id,
        recipient: input.recipient,
        event: input.event,
        ...(due > at && { due_at: iso(due) }),
        channels: [...new Set(selected.map(({ channel }) => channel))],
        ...(explanation && { explanation }),
      }
    },
  }
}

export function previewRequest({ id, at, send, written }: SimulatedSend): PreviewRequest {
  const { input, notBefore, marks } = send
  return { id, input, at, notBefore, listId: marks?.listId, written }
}

const dueOf = ({ at, notBefore = at }: PreviewRequest) => Math.max(at, notBefore)

// Recipients are resolved as in production, up to the maximum that is shown.
/** A page of recipients of the target, with the subscriptions that runs had written. */
export type ReadRecipients = (written: Written, target: Target, after: Place, limit: number) => Promise<SourcePage>

export interface RecipientPreview {
  /** The first of them. */
  messages: { id: string; input: SendInput; listId: string | undefined }[]
  /** How many recipients were found. */
  recipients: number
  /** Counting stopped at the limit. */
  more: boolean
}

/** The page size of a fan-out. */
const PAGE = 250
/** Counts up to a thousand recipients. */
const REQUEST_PAGES_MAX = 4
/** The maximum of a simulation: some hundred queries. */
const PAGES_MAX = 100
/** Messages shown for one request. */
const SHOWN_MAX = 100

/** Shared by the requests of one simulation, which are previewed one after the other. */
export function createRecipientPreviews(read: ReadRecipients, secret: Buffer) {
  let pages = 0
  return async ({ id, shared, addressing, written }: SimulatedRequest): Promise<RecipientPreview> => {
    // A recipient of several targets gets one message, from the first target.
    const known = new Set<string>()
    const messages: RecipientPreview['messages'] = []
    const pagesMax = Math.min(PAGES_MAX, pages + REQUEST_PAGES_MAX)
    for (const target of addressing.targets) {
      let place: Place | undefined = null
      while (place !== undefined) {
        if (pages >= pagesMax) return { messages, recipients: known.size, more: true }
        pages += 1
        const page: SourcePage = await read(written, target, place, PAGE)
        for (const addressee of page.recipients) {
          const { recipient } = addressee.own
          if (known.has(recipient)) continue
          known.add(recipient)
          if (messages.length >= SHOWN_MAX) continue
          const input = inputOf(shared, target, addressee)
          messages.push({ id: childId(secret, id, recipient), input, listId: addressee.marks?.listId })
        }
        place = page.next
      }
    }
    return { messages, recipients: known.size, more: false }
  }
}

/** Data of the target override the shared data; data of the recipient override both. */
function inputOf(shared: RequestEffect['shared'], target: Target, { own }: ExpandedRecipient): SendInput {
  const data = 'data' in target ? target.data : undefined
  return data ? completed({ ...shared, targetData: { 0: data } }, { ...own, target: 0 }) : completed(shared, own)
}
