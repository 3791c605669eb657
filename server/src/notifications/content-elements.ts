/** Elements of a content by their names: withIdsAndChecksums with them, replaced, translated. */
import { createHash } from 'node:crypto'
import type { Element } from '@postrider/contract'
import { invalidRequest, notFound } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { quoted } from '../base/quote.ts'

export interface ElementWithId {
  element: Element
  /** Its own id, else its place. */
  id: string
}

export type ListedElement = Element & { id: string; checksum: string }

/** What a translator sees of an element. */
const WORDS = ['content', 'title', 'alt_text'] as const

const hash = (text: string) => createHash('md5').update(text).digest('hex')

/** The elements of a text are spans: they have no names of their own. */
export function childrenOf({ type, elements }: JsonObject): Element[] {
  return type !== 'text' && Array.isArray(elements) ? (elements as Element[]) : []
}

/** Every element, those that hold others before what they hold. */
export function* elementsWithIds(elements: readonly Element[], above = ''): Generator<ElementWithId> {
  for (const [index, element] of elements.entries()) {
    const place = `${above}${index}`
    yield { element, id: ownId(element) ?? place }
    yield* elementsWithIds(childrenOf(element), `${place}.`)
  }
}

const ownId = ({ id }: JsonObject) => (typeof id === 'string' && id !== '' ? id : undefined)

/** An id an author gave wins over a place, the first of two over the second. */
function elementsById(elements: readonly Element[]): ReadonlyMap<string, Element> {
  const all = [...elementsWithIds(elements)].reverse()
  const own = all.filter(({ element }) => ownId(element) !== undefined)
  return new Map([...all, ...own].map(({ id, element }) => [id, element]))
}

export function checksumOf(fields: JsonObject): string {
  const spans = fields.type === 'text' && Array.isArray(fields.elements) ? JSON.stringify(fields.elements) : ''
  return hash(WORDS.map((name) => (typeof fields[name] === 'string' ? fields[name] : '')).join('\n') + spans)
}

export const checksumOfAll = (checksums: readonly string[]) => hash(checksums.join('\n'))

export function withIdsAndChecksums(elements: readonly Element[], above = ''): ListedElement[] {
  return elements.map((element, index) => {
    const place = `${above}${index}`
    const children = childrenOf(element)
    return {
      ...element,
      id: ownId(element) ?? place,
      checksum: checksumOf(element),
      ...(children.length > 0 && { elements: withIdsAndChecksums(children, `${place}.`) }),
      ...(isObject(element.locales) && { locales: eachLocale(element.locales, (one) => withChecksum(one)) }),
    }
  })
}

const withChecksum = (fields: JsonObject) => ({ ...fields, checksum: checksumOf(fields) })

function eachLocale(locales: JsonObject, change: (fields: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(locales).map(([locale, fields]) => [locale, isObject(fields) ? change(fields) : fields]),
  )
}

/** As they are stored: what `withIdsAndChecksums` added for tools is not part of them. */
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

/** Throws a 404. Elements inside it and its locales stay when its type does and it brings none. */
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

/** What one element says in one locale. */
export interface Translated {
  id: string
  locale: string
  fields: JsonObject
}

/** `add` keeps what an element says in the locale beside the given fields. Throws a 400 for an unknown element. */
export function withLocales(elements: readonly Element[], translated: readonly Translated[], add: boolean): Element[] {
  const byId = elementsById(elements)
  const changes = new Map<Element, Element>()
  for (const { id, locale, fields } of translated) {
    const before = byId.get(id)
    if (!before) throw invalidRequest(`Unknown element ${quoted(id)}`)
    const element = changes.get(before) ?? before
    const locales = isObject(element.locales) ? element.locales : {}
    const said = add && isObject(locales[locale]) ? locales[locale] : {}
    changes.set(before, { ...element, locales: { ...locales, [locale]: { ...said, ...fields } } })
  }
  return changed(elements, changes)
}
