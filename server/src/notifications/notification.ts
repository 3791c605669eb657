/** A notification as stored in a version and as served by the API. */
import {
  type Channel,
  type ContentInput,
  channels,
  type Notification,
  type NotificationContent,
  type NotificationInput,
  type NotificationSummary,
} from '@postrider/contract'
import { invalidAt, invalidRequest } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { ListedNotification, NotificationRow } from '../database/tables/notifications/notifications.ts'
import { checkedCondition } from '../messages/decide/condition.ts'
import { compile } from '../templates/compile.ts'
import { ContentInvalid } from '../templates/failure.ts'
import { withoutChecksums } from './content.ts'
import type { NamedRouting } from './routing-strategies.ts'

/** A version without its number. */
export type Payload = Pick<
  Notification,
  'name' | 'tags' | 'brand' | 'subscription' | 'routing' | 'content' | 'settings'
> &
  JsonObject

const ELEMENTAL = '2022-01-01'

/** Checks the input completely. Throws a 400 that names the invalid field. */
export function payloadOf(input: NotificationInput): Payload {
  const { name, tags = [], brand = null, subscription = null, routing = null, settings = {} } = input
  const content = storedContent(input.content, 'notification.content')
  if (settings.if !== undefined) checkedCondition(settings.if, 'notification.settings.if')
  return { name, tags, brand, subscription, routing, content, settings }
}

/** Converts either input form to Elemental. Throws a 400. */
export function storedContent(input: ContentInput, place = 'content'): NotificationContent {
  try {
    compile(input)
  } catch (error) {
    if (error instanceof ContentInvalid)
      throw invalidAt(place, error.message, { code: 'invalid_content', cause: error })
    throw error
  }
  if ('elements' in input) return { version: input.version ?? ELEMENTAL, elements: withoutChecksums(input.elements) }
  const title = input.title ? [{ type: 'meta', title: input.title }] : []
  return { version: ELEMENTAL, elements: [...title, { type: 'text', content: input.body }] }
}

/** A draft may be incomplete, a published version may not. Throws a 400. */
export function checkPublishable({ content }: Pick<Payload, 'content'>): void {
  const { nodes, problems } = compile(content)
  if (nodes.every(({ element }) => element.type === 'comment'))
    throw invalidRequest('A notification without elements cannot be published', { code: 'invalid_content' })
  const [problem] = problems
  if (problem !== undefined) throw invalidAt('notification.content', problem, { code: 'invalid_content' })
}

export function notificationRecord(
  row: NotificationRow,
  shown: { version: number; payload: Payload; isDraft: boolean },
): Notification {
  return {
    id: row.id,
    state: shown.isDraft ? 'DRAFT' : 'PUBLISHED',
    ...authorship(row),
    ...shown.payload,
    ...(row.alias === null ? {} : { alias: row.alias }),
    version: shown.isDraft ? 'draft' : `v${shown.version}`,
  }
}

function authorship({ created, creator, updated, updater }: NotificationRow) {
  return { created, creator, ...(updated === created ? {} : { updated, updater }) }
}

export function summary(row: ListedNotification, strategies: ReadonlyMap<string, NamedRouting>): NotificationSummary {
  const payload = row.payload as unknown as Payload
  return {
    id: row.id,
    state: row.published === null ? 'DRAFT' : 'PUBLISHED',
    ...authorship(row),
    name: payload.name,
    ...(row.alias === null ? {} : { alias: row.alias }),
    title: payload.name,
    created_at: row.created,
    updated_at: row.updated,
    routing: routingInForce(payload, strategies),
    tags: payload.tags,
    topic_id: payload.subscription?.topic_id ?? null,
  }
}

/** Its routing or that of its strategy, else the channels of the content, else every channel in the default order. */
export function routingInForce(
  { routing, content }: Pick<Payload, 'routing' | 'content'>,
  strategies: ReadonlyMap<string, NamedRouting> = new Map(),
): NotificationSummary['routing'] {
  if (routing && 'channels' in routing) return { method: routing.method, channels: routing.channels }
  const stored = routing && strategies.get(routing.strategy_id)
  if (stored) return stored
  const own = content.elements.flatMap(({ type, channel }) => (type === 'channel' ? [channel as Channel] : []))
  return { method: 'single', channels: own.length > 0 ? own : [...channels] }
}
