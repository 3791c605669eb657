/** Removes a person from stored messages and requests: decisions and times stay, content is removed, a pseudonym replaces the recipient. */
import { createHmac } from 'node:crypto'
import type { HistoryEvent } from '@postrider/contract'
import { isObject } from '../base/json/json.ts'
import type { SecretKey } from '../base/secret.ts'
import type {
  ErasableFlush,
  ErasableMessage,
  ErasedMessage,
  NamingRequest,
} from '../database/tables/erasure/messages.ts'
import { deliveriesText, parseDeliveries, type StoredDelivery, type StoredHistoryEvent } from '../messages/delivery.ts'
import type { SharedInput } from '../messages/send.ts'
import type { RequestTargets } from '../recipients/fan-out-request.ts'
import type { Target } from '../recipients/read-recipients.ts'

type HistoryField = HistoryEvent extends infer Event ? (Event extends unknown ? keyof Event : never) : never

/** `outboxId` is the id of the webhook event when the message is canceled. */
export function redactMessage(
  message: ErasableMessage,
  person: string,
  pseudonym: string,
  outboxId: string,
): ErasedMessage {
  const { id, flushes, event, due_at, sent, tags, notification, considered, released } = message
  const deliveries = parseDeliveries(message.deliveries).map(redactDelivery)
  const pinned = {
    ...(notification !== null && { notification }),
    ...(considered !== null && { considered: withoutDevices(considered) }),
    ...(released !== null && { released }),
  }
  return {
    id,
    flushes,
    tags: tags?.filter((tag) => !namesPerson(tag, person)) ?? null,
    input: JSON.stringify({ event, recipient: pseudonym }),
    pinned: Object.keys(pinned).length > 0 ? JSON.stringify(pinned) : null,
    deliveries: deliveries.length > 0 ? deliveriesText(deliveries) : null,
    events: message.events && redactEvents(message.events),
    outbox_id: due_at !== null && sent === null ? outboxId : null,
  }
}

/** As a whole word: `user:7` names 7, `v17` does not. */
function namesPerson(tag: string, person: string): boolean {
  const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character)
  for (let at = tag.indexOf(person); at >= 0; at = tag.indexOf(person, at + 1))
    if (!isWord(tag[at - 1]) && !isWord(tag[at + person.length])) return true
  return false
}

/** Ids of devices stand for their tokens, and their names may be those of people. */
const withoutDevices = (considered: unknown): unknown =>
  Array.isArray(considered)
    ? considered.map((entry) => {
        if (!isObject(entry) || entry.device === undefined) return entry
        const { device: _device, error: _error, ...kept } = entry
        return kept
      })
    : considered

/** Errors of providers repeat addresses, references of providers identify the person, and links may be theirs alone. */
function redactDelivery(delivery: StoredDelivery): StoredDelivery {
  const {
    error: _error,
    reference: _reference,
    nextAt: _nextAt,
    device: _device,
    addressee: _addressee,
    clickedLinks: _links,
    endedCopies: _copies,
    log,
    ...kept
  } = delivery
  return { ...kept, log: log.map(({ error: _attemptError, ...attempt }) => attempt) }
}

/** Each field of a history event: whether it holds no personal data. A field that the contract adds has to be judged. */
const isKept: Readonly<Record<HistoryField | 'n', boolean>> = {
  type: true,
  ts: true,
  n: true,
  reason: true,
  reasonCode: true,
  until: true,
  attempt: true,
  held_back: true,
  next_attempt_at: true,
  notification_id: true,
  suppressed: true,
  automated: true,
  automated_reason: true,
  source: true,
  cause: true,
  integration_id: true,
  event: false,
  event_id: false,
  recipient: false,
  data: false,
  profile: false,
  override: false,
  received_profile: false,
  stored_profile: false,
  merged_profile: false,
  findings: false,
  channel: false,
  integration: false,
  device: false,
  output: false,
  sms: false,
  reference: false,
  error: false,
  error_message: false,
  url: false,
  address: false,
  topic_id: false,
}
const keptFields: ReadonlySet<string> = new Set(Object.keys(isKept).filter((field) => isKept[field as HistoryField]))

export const redactFlush = ({ events, ...place }: ErasableFlush): ErasableFlush => ({
  ...place,
  events: redactEvents(events),
})

function redactEvents(events: string): string {
  const redacted = (JSON.parse(events) as StoredHistoryEvent[]).map((event) => ({
    ...Object.fromEntries(Object.entries(event).filter(([field]) => keptFields.has(field))),
    // These fields are required; without a candidate the channel has no name.
    ...(event.type === 'DELIVERING' && { error: '' }),
    ...(event.n === undefined && 'channel' in event && { channel: { id: '' } }),
  }))
  return JSON.stringify(redacted)
}

/** The stored targets of a request, as far as erasing needs them. */
interface StoredTargets {
  targets: RequestTargets['targets']
  marks?: unknown
}

interface ExpansionProgress {
  after: unknown
}

type Parts = Pick<NamingRequest, 'input' | 'targets' | 'progress'>

/** Other recipients keep their positions, so that expansion resumes; shared input stays while any recipient is left. */
export function redactRequest(request: NamingRequest, person: string): Parts & { removed: number } {
  const { marks, ...rest } = JSON.parse(request.targets) as StoredTargets
  let removed = 0
  const without = (user: Parameters<typeof isPerson>[0]) => {
    if (!isPerson(user, person)) return user
    removed += 1
    return null
  }
  const targets = rest.targets.map((target) => {
    return target.kind === 'users' ? { ...target, users: target.users.map(without) } : target
  })
  const empty = targets.every((target) => target.kind === 'users' && target.users.every((user) => user === null))
  const { event } = JSON.parse(request.input) as SharedInput
  return {
    removed,
    targets: JSON.stringify({ ...rest, targets, ...(marks !== undefined && !empty && { marks }) }),
    input: empty ? JSON.stringify({ event }) : request.input,
    progress: hasCursorAt(request, person)
      ? JSON.stringify({ ...(JSON.parse(request.progress ?? '{}') as ExpansionProgress), after: null })
      : request.progress,
  }
}

const isPerson = (user: Extract<Target, { kind: 'users' }>['users'][number], person: string) =>
  user?.recipient === person

/** Whether the cursor of the expansion holds the person's id: a recipient, or a JSON text with one. */
export function hasCursorAt({ progress }: Pick<NamingRequest, 'progress'>, person: string): boolean {
  const { after } = JSON.parse(progress || '{}') as Partial<ExpansionProgress>
  if (typeof after !== 'string') return false
  return after === person || after.endsWith(`"after":${JSON.stringify(person)}}`)
}

/** Stable for a person of a workspace; without the secret key it cannot be traced to the person. */
export function pseudonymOf(key: SecretKey, workspaceId: number, person: string): string {
  const digest = createHmac('sha256', key.derive('erasure')).update(`${workspaceId}\0${person}`).digest('hex')
  return `erased-${digest.slice(0, 32)}`
}

export const isPseudonym = (recipient: string): boolean => /^erased-[0-9a-f]{32}$/.test(recipient)

/**
 * A regular expression for JavaScript and PostgreSQL: a field that identifies a user, with this value. Other fields may
 * have the same value by chance.
 */
export function namingPattern(person: string): string {
  const value = JSON.stringify(person).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return `"\\w*([Uu]ser|[Rr]ecipient|[Mm]ember|[Pp]rofile)\\w*":\\s*${value}`
}
