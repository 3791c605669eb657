/** The content of a notification: its elements by id, listed, replaced, translated; and its blocks, as older clients read them. */
import { createHash } from 'node:crypto'
import type { ContentDetail, Element, NotificationContent, Variations } from '@postrider/contract'
import { invalidRequest, notFound } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { quoted } from '../base/quote.ts'

interface ElementWithId {
  element: Element
  /** Its own id, else its position. */
  id: string
}

export type ListedElement = Element & { id: string; checksum: string }

/** The fields that are translated. */
const TRANSLATED_FIELDS = ['content', 'title', 'alt_text'] as const

const hash = (text: string) => createHash('md5').update(text).digest('hex')

/** The elements of a text are spans, which have no ids. */
function childrenOf({ type, elements }: JsonObject): Element[] {
  return type !== 'text' && Array.isArray(elements) ? (elements as Element[]) : []
}

/** Every element, parents before their children. */
function* elementsWithIds(elements: readonly Element[], above = ''): Generator<ElementWithId> {
  for (const [index, element] of elements.entries()) {
    const place = `${above}${index}`
    yield { element, id: ownId(element) ?? place }
    yield* elementsWithIds(childrenOf(element), `${place}.`)
  }
}

const ownId = ({ id }: JsonObject) => (typeof id === 'string' && id !== '' ? id : undefined)

/** An author's id takes precedence over a position, the first of two equal ids over the second. */
function elementsById(elements: readonly Element[]): ReadonlyMap<string, Element> {
  const all = [...elementsWithIds(elements)].reverse()
  const withOwnId = all.filter(({ element }) => ownId(element) !== undefined)
  return new Map([...all, ...withOwnId].map(({ id, element }) => [id, element]))
}

function checksumOf(fields: JsonObject): string {
  const spans = fields.type === 'text' && Array.isArray(fields.elements) ? JSON.stringify(fields.elements) : ''
  return hash(
    TRANSLATED_FIELDS.map((name) => (typeof fields[name] === 'string' ? fields[name] : '')).join('\n') + spans,
  )
}

const checksumOfAll = (checksums: readonly string[]) => hash(checksums.join('\n'))

export function withIdsAndChecksums(elements: readonly Element[], above = ''): ListedElement[] {
  return elements.map((element, index) => {
    const place = `${above}${index}`
    const children = childrenOf(element)
    return {
      ...element,
      id: ownId(element) ?? place,
      checksum: checksumOf(element),
      ...(children.length > 0 && { elements: withIdsAndChecksums(children, `${place}.`) }),
      ...(isObject(element.locales) && { locales: eachLocale(element.locales, (content) => withChecksum(content)) }),
    }
  })
}

const withChecksum = (fields: JsonObject) => ({ ...fields, checksum: checksumOf(fields) })

function eachLocale(locales: JsonObject, change: (fields: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(locales).map(([locale, fields]) => [locale, isObject(fields) ? change(fields) : fields]),
  )
}

/** Removes the checksums that `withIdsAndChecksums` added. */
export function withoutChecksums(elements: readonly Element[]): Element[] {
  return elements.map(({ checksum: _, ...element }) => ({
    ...element,
    ...(childrenOf(element).length > 0 && { elements: withoutChecksums(childrenOf(element)) }),
    ...(isObject(element.locales) && { locales: eachLocale(element.locales, ({ checksum: _, ...rest }) => rest) }),
  })) as Element[]
}

type Changes = ReadonlyMap<Element, Element>

function changed(elements: readonly Element[], changes: Changes): Element[] {
  return elements.map((before) => {
    const element = changes.get(before) ?? before
    const children = childrenOf(element)
    return children.length > 0 ? { ...element, elements: changed(children, changes) } : element
  })
}

/** Throws a 404. With the same type, absent children and locales are kept. */
export function withElement(elements: readonly Element[], id: string, written: Element): Element[] {
  const before = elementsById(elements).get(id)
  if (!before) throw notFound('Element not found')
  const stays = before.type === written.type
  const name = ownId(before)
  const element: Element = {
    ...(stays && before.locales !== undefined && { locales: before.locales }),
    ...(stays && childrenOf(before).length > 0 && { elements: before.elements }),
    ...written,
    ...(name !== undefined && { id: name }),
  }
  return changed(elements, new Map([[before, element]]))
}

/** The fields of one element in one locale. */
export interface Translated {
  id: string
  locale: string
  fields: JsonObject
}

/** `add` keeps other fields of the element in the locale. Throws a 400 for an unknown element. */
export function withLocales(elements: readonly Element[], translated: readonly Translated[], add: boolean): Element[] {
  const byId = elementsById(elements)
  const changes = new Map<Element, Element>()
  for (const { id, locale, fields } of translated) {
    const before = byId.get(id)
    if (!before) throw invalidRequest(`Unknown element ${quoted(id)}`, { code: 'invalid_field', param: 'elements' })
    const element = changes.get(before) ?? before
    const locales = isObject(element.locales) ? element.locales : {}
    const kept = add && isObject(locales[locale]) ? locales[locale] : {}
    changes.set(before, { ...element, locales: { ...locales, [locale]: { ...kept, ...fields } } })
  }
  return changed(elements, changes)
}

type Block = ContentDetail['blocks'][number]

/** Not an object, which has a value for the type `__proto__`. */
const blockTypes: ReadonlyMap<string, Block['type']> = new Map([
  ['text', 'text'],
  ['action', 'action'],
  ['image', 'image'],
  ['divider', 'divider'],
  ['quote', 'quote'],
  ['list-item', 'list'],
  ['table-cell', 'text'],
  ['html', 'template'],
])

/** `channels`: the routing of the notification. */
export function detail({ version, elements }: NotificationContent, channels: readonly string[]): ContentDetail {
  const all = [...elementsWithIds(elements)]
  return {
    version,
    elements: withIdsAndChecksums(elements),
    blocks: all.flatMap(({ element, id }) => blockOf(element, id)),
    channels: channels.map((channel) => channelOf(channel, metaOf(elements, channel)?.element)),
    checksum: checksumOfAll(all.map(({ element }) => checksumOf(element))),
  }
}

function blockOf(element: Element, id: string): Block[] {
  const type = blockTypes.get(element.type)
  if (!type) return []
  const { content } = element
  return [
    {
      id,
      type,
      ...(typeof content === 'string' && { content }),
      locales: textsOf(element, 'content'),
      checksum: checksumOf(element),
    },
  ]
}

/** Translations of a field by locale. */
function textsOf(element: Element | undefined, field: string): Record<string, string> {
  const locales = element && isObject(element.locales) ? element.locales : {}
  return Object.fromEntries(
    Object.entries(locales).flatMap(([locale, fields]) => {
      const text = isObject(fields) ? fields[field] : undefined
      return typeof text === 'string' ? [[locale, text]] : []
    }),
  )
}

/** The `meta` element of the channel, else of the default channel, else of the whole content. */
function metaOf(elements: readonly Element[], channel: string) {
  const all = [...elementsWithIds(elements)]
  const branches = elements.filter(({ type }) => type === 'channel')
  const branch =
    branches.find((candidate) => candidate.channel === channel || candidate.provider === channel) ??
    branches.find((candidate) => candidate.channel === 'default')
  const children = branches.length > 0 ? childrenOf(branch ?? {}) : elements
  const meta = children.find(({ type }) => type === 'meta')
  return meta && all.find(({ element }) => element === meta)
}

function channelOf(channel: string, meta: Element | undefined): ContentDetail['channels'][number] {
  const place = channel === 'email' ? 'subject' : 'title'
  const above = (text: unknown) => ({ subject: '', title: '', [place]: typeof text === 'string' ? text : '' })
  return {
    id: channel,
    type: channel,
    content: above(meta?.title),
    locales: Object.fromEntries(
      Object.entries(textsOf(meta, 'title')).map(([locale, text]) => [locale, { [place]: text }]),
    ),
    checksum: checksumOf(meta ?? {}),
  }
}

/** Throws a 400 for a channel without a title. */
export function translatedBy({ blocks = [], channels = [] }: Variations, content: NotificationContent) {
  const fromBlocks = blocks.flatMap(({ id, locales = {} }) =>
    Object.entries(locales).map(([locale, text]): Translated => ({ id, locale, fields: { content: text } })),
  )
  const fromChannels = channels.flatMap(({ id, locales = {} }) => {
    const meta = metaOf(content.elements, id)
    if (!meta)
      throw invalidRequest(`The channel ${quoted(id)} has no title to translate`, {
        code: 'invalid_field',
        param: 'channels',
      })
    return Object.entries(locales).flatMap(([locale, { subject, title }]): Translated[] => {
      const text = subject ?? title
      const fields: JsonObject = { title: text }
      return text === undefined ? [] : [{ id: meta.id, locale, fields }]
    })
  })
  return [...fromBlocks, ...fromChannels]
}
