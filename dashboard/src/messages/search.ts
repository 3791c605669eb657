/** The filters of the list of messages as they stand in the address; unknown and malformed ones are dropped. */
import type { FindingCode, MessageFilter, Reason } from '@postrider/client'
import { textOf } from '../parts/search-params.ts'
import { failures, type StatusGroup, statuses, statusGroups } from '../parts/status-groups.ts'

export const reasons = [
  ...(['PROVIDER_ERROR', 'BOUNCED', 'UNSUBSCRIBED', 'SUPPRESSED', 'INCOMPLETE_PROFILE_DATA', 'NO_PROVIDERS'] as const),
  ...(['NO_CHANNELS', 'OPT_IN_REQUIRED', 'UNPUBLISHED', 'FILTERED', 'FAILED', 'IN_DOUBT', 'EXPIRED'] as const),
] satisfies Reason[]

const findingCodes = [
  ...(['variable_missing', 'variable_empty', 'field_ignored', 'event_unknown', 'template_unknown'] as const),
  ...([
    'notification_unpublished',
    'element_unknown',
    'element_field_ignored',
    'content_altered',
    'translation_missing',
  ] as const),
  ...(['locale_unknown', 'time_zone_unknown', 'tenant_unknown', 'topic_unknown', 'brand_unknown'] as const),
  ...(['snippet_missing', 'route_name_unknown', 'strategy_unknown', 'links_empty', 'mail_large'] as const),
  'copies_refused',
] satisfies FindingCode[]

export const listFilters = ['status', 'provider', 'channel', 'reason', 'except_reason', 'finding', 'tag'] as const
export const textFilters = [
  'recipient',
  'address',
  'event',
  'notification',
  'list',
  'tenant_id',
  'traceId',
  'runId',
  'error',
  'messageId',
  'enqueued_after',
  'enqueued_before',
] as const
/** The filters that have few values, which the server knows. */
const choices: { readonly [name: string]: readonly string[] } = {
  ...{ status: statuses, reason: reasons, except_reason: reasons, finding: findingCodes },
}
const isValueOf = (name: string, value: unknown): value is string =>
  typeof value === 'string' && value !== '' && choices[name]?.includes(value) !== false
export type FilterName = (typeof listFilters)[number] | (typeof textFilters)[number]

/** Lengths of time up to now, in milliseconds. */
export const presets = { '15m': 900_000, '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const
export type Preset = keyof typeof presets

export interface MessagesSearch
  extends Partial<Record<(typeof listFilters)[number], string[]>>,
    Partial<Record<(typeof textFilters)[number], string>> {
  /** The last minutes or days, instead of `enqueued_after`. */
  last?: Preset
  /** No provider has accepted it, and it waits for another attempt. */
  retrying?: boolean
  /** New messages appear by themselves. */
  live?: boolean
  /** The id of the message that is shown beside the list. */
  open?: string
}

export function messagesSearch(search: Record<string, unknown>): MessagesSearch {
  const filters: MessagesSearch = {}
  for (const name of listFilters) {
    const values = [search[name]].flat().filter((value) => isValueOf(name, value))
    if (values.length > 0) filters[name] = values
  }
  for (const name of textFilters) {
    const value = textOf(search[name])
    if (value !== undefined) filters[name] = value
  }
  if (typeof search.last === 'string' && Object.hasOwn(presets, search.last)) filters.last = search.last as Preset
  if (search.retrying === true) filters.retrying = true
  if (search.live === true) filters.live = true
  const open = textOf(search.open)
  if (open !== undefined) filters.open = open
  return filters
}

/** The filters as the API takes them. */
export function apiFilters({ last, live: _, open: __, ...filters }: MessagesSearch, now: number): MessageFilter {
  // In full minutes, so that the same filter is the same query for a while.
  const after = last && Math.floor((now - presets[last]) / 60_000) * 60_000
  return { ...filters, ...(after && { enqueued_after: String(after) }) } as MessageFilter
}

export type MessageGroup = StatusGroup | 'all' | 'retrying'

/** The group whose statuses are exactly those of the filter; `all` without a filter. */
export function groupOf({ status, except_reason: excepted = [], retrying }: MessagesSearch): MessageGroup | undefined {
  if (retrying) return status ? undefined : 'retrying'
  if (!status) return 'all'
  const isSame = (left: readonly string[], right: readonly string[]) =>
    left.length === right.length && left.every((each) => right.includes(each))
  const names = Object.keys(statusGroups) as StatusGroup[]
  return names.find((name) => {
    const { status: statuses, except_reason: reasons = [] } = filterOf(name)
    return isSame(statuses, status) && isSame(reasons, excepted)
  })
}

const filterOf = (group: StatusGroup): { status: string[]; except_reason?: string[] } =>
  group === 'failed' ? failures : { status: [...statusGroups[group]] }

/** The search with another group in the place of its own. */
export function withGroup(search: MessagesSearch, group: MessageGroup): MessagesSearch {
  const { status: _, except_reason: __, retrying: ___, ...others } = search
  if (group === 'all') return others
  return group === 'retrying' ? { ...others, retrying: true } : { ...others, ...filterOf(group) }
}

/** The list as it is shown, without a condition. */
export const withoutFilters = ({ live, open }: MessagesSearch): MessagesSearch => ({
  ...(live && { live }),
  ...(open !== undefined && { open }),
})

/** `1-65f1a2b3-0a1b2c3d4e5f60718293a4b5` */
const MESSAGE_ID = /^1-[0-9a-f]{8}-[0-9a-f]{24}$/
/** An email address, or a telephone number with its country code. */
const ADDRESS = /^[^\s@:]+@[^\s@]+$|^\p{Cf}*[+＋][^\p{L}@:]{5,}$/u

/** Words of the field before a colon, and the filters that they mean. */
const fieldNames = new Map<string, FilterName>([
  ...(['status', 'provider', 'channel', 'reason', 'finding', 'tag', 'recipient', 'event', 'list'] as const).map(
    (name) => [name, name] as const,
  ),
  ['to', 'recipient'],
  ['address', 'address'],
  ['template', 'notification'],
  ['tenant', 'tenant_id'],
])

/** A value that its filter does not have. */
export interface UnknownValue {
  name: FilterName
  unknown: string
}

/** `status:failed` is the group of that name, unless a status has it. */
const groupNamed = (value: string): Record<string, string[]> | undefined =>
  Object.hasOwn(statusGroups, value.toLowerCase()) && !choices.status?.includes(value.toUpperCase())
    ? { ...filterOf(value.toLowerCase() as StatusGroup) }
    : undefined

/** A text of the field of the list: an id of a message, an address, a recipient, or conditions such as `status:HELD to:ada`. */
export function searchOf(text: string): MessagesSearch | UnknownValue {
  const search: Record<string, string | string[]> = {}
  const others: string[] = []
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, key = '', value = ''] = /^([a-z]+):(.+)$/i.exec(word) ?? []
    const name = fieldNames.get(key.toLowerCase())
    if (!name) others.push(word)
    else if ((listFilters as readonly string[]).includes(name)) {
      const exact = choices[name]?.find((choice) => choice.toLowerCase() === value.toLowerCase()) ?? value
      const conditions = (name === 'status' && groupNamed(value)) || { [name]: [exact] }
      for (const [filter, added] of Object.entries(conditions)) {
        if (!added.every((each) => isValueOf(filter, each))) return { unknown: value, name }
        search[filter] = [...(search[filter] ?? []), ...added]
      }
    } else search[name] = value
  }
  const rest = others.join(' ')
  if (MESSAGE_ID.test(rest)) search.messageId = rest
  else if (ADDRESS.test(rest)) search.address = rest
  else if (rest !== '') search.recipient = [search.recipient, rest].flat().filter(Boolean).join(' ')
  return messagesSearch(search)
}

/** The search with what was typed: another recipient, address or id instead of its own, and without text none. */
export function withConditions(search: MessagesSearch, typed: MessagesSearch): MessagesSearch {
  const { recipient, address, messageId, retrying, except_reason: excepted, ...others } = search
  const isEmpty = Object.keys(typed).length === 0
  const isOther = isEmpty || [typed.recipient, typed.address, typed.messageId].some((value) => value !== undefined)
  return {
    ...others,
    ...(!isOther && recipient !== undefined && { recipient }),
    ...(!isOther && address !== undefined && { address }),
    ...(!isOther && messageId !== undefined && { messageId }),
    // The group of the failed has statuses and reasons.
    ...(excepted && !typed.status && !typed.reason && { except_reason: excepted }),
    // Those that are retried have one status.
    ...(retrying && !typed.status && { retrying }),
    ...typed,
  }
}
