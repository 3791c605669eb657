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
import { textsOf } from '../base/finding.ts'
import type { JsonObject } from '../base/json/json.ts'
import { quoted } from '../base/quote.ts'
import type { Reader } from '../database/engine.ts'
import type { ListedNotification, NotificationRow } from '../database/tables/notifications/notifications.ts'
import { translationsInForce, translationVersions } from '../database/tables/notifications/translations.ts'
import { checkedCondition } from '../messages/decide/condition.ts'
import { compile } from '../templates/compile.ts'
import { ContentInvalid } from '../templates/failure.ts'
import type { Template } from '../templates/template.ts'
import { localeChain, readCatalog, translate } from '../templates/translations/catalog.ts'
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

/** Unknown elements that one error names. */
const UNKNOWN_SHOWN = 5

/**
 * A draft may be incomplete, a published version may not. Callers of the public API may publish elements that are left
 * out, unless the call is strict. Throws a 400 that names the place in the content as it was `written`.
 */
export function checkPublishable(
  { content }: Pick<Payload, 'content'>,
  isStrict: boolean,
  written: ContentInput = content,
): void {
  const { nodes, problems, unknownElements } = compile(written)
  const isEmpty = nodes.every(({ element }) => element.type === 'comment')
  if (unknownElements.length > 0 && (isStrict || isEmpty))
    throw invalidAt('notification.content', unknownElements.slice(0, UNKNOWN_SHOWN).join(' '), {
      code: 'invalid_content',
    })
  if (isEmpty) throw invalidRequest('A notification without elements cannot be published', { code: 'invalid_content' })
  const [problem] = problems
  if (problem !== undefined) throw invalidAt('notification.content', problem, { code: 'invalid_content' })
}

/** Warnings about content that is accepted: what of it is not shown as it was written. */
export const contentWarnings = ({ findings }: Template): readonly string[] => textsOf(findings)

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
  const strategy = routing && strategies.get(routing.strategy_id)
  if (strategy) return strategy
  const ownChannels = content.elements.flatMap(({ type, channel }) => (type === 'channel' ? [channel as Channel] : []))
  return { method: 'single', channels: ownChannels.length > 0 ? ownChannels : [...channels] }
}

/** Reading catalogs takes time; this many are compared. */
const LOCALES_MAX = 20
/** Named in one warning; the rest is counted. */
const TEXTS_SHOWN = 3

/** The texts that the catalogs of the workspace do not translate, a warning for each locale. */
export async function missingTranslations(engine: Reader, workspaceId: number, template: Template): Promise<string[]> {
  const texts = [...template.textsToTranslate.values()]
  if (texts.length === 0) return []
  const inForce = (await translationsInForce(engine, [workspaceId])).slice(0, LOCALES_MAX)
  if (inForce.length === 0) return ['There are no translations: its texts are shown as they were written.']
  const rows = await translationVersions(
    engine,
    inForce.map(({ locale, version }) => ({ workspaceId, locale, version })),
  )
  const catalogs = new Map(rows.map(({ locale, content }) => [locale, readCatalog(locale, content)]))
  return [...catalogs.keys()].flatMap((locale) => {
    const chain = localeChain(catalogs.keys(), locale).flatMap((name) => catalogs.get(name) ?? [])
    const missing = texts.filter((text) => translate(chain, text) === undefined)
    if (missing.length === 0) return []
    const shown = missing.slice(0, TEXTS_SHOWN).map(({ message }) => quoted(message.slice(0, 60)))
    const more = missing.length > shown.length ? ` and ${missing.length - shown.length} more` : ''
    return [`${quoted(locale)} has no translation of ${shown.join(', ')}${more}.`]
  })
}
