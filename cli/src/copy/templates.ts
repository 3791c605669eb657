/** Templates of the source as they are written here: with their elements, or with the blocks of a designer as elements. */
import { isObject } from '../definitions/definition.ts'
import type { JsonObject } from '../rows/columns.ts'
import { type Api, idOf, objectsOf, pick, read, readPages, textOf } from './api.ts'
import type { SourceRecord } from './records.ts'

export interface Template extends SourceRecord {
  /** Name under which the template is found here: ids are made by each server. */
  alias: string
  state: 'DRAFT' | 'PUBLISHED'
  /** Differences from the template of the source, which is a draft then. */
  warnings: readonly string[]
}

/** A template as an entry of the list, without its content. */
export async function* templates(source: Api): AsyncGenerator<SourceRecord> {
  for await (const value of readPages(source, ['notifications'])) {
    const id = idOf(value.id)
    if (id !== undefined) yield { id, value }
  }
}

export async function templateOf(source: Api, { id, value: entry }: SourceRecord): Promise<Template> {
  // Templates of a designer have no record: the list has their name, and their content is in blocks.
  const record = { ...entry, ...(await read(source, ['notifications', id])) }
  const elements = isObject(record.content) ? record.content.elements : undefined
  const { content, warnings } = Array.isArray(elements)
    ? { content: record.content, warnings: [] }
    : contentOf((await read(source, ['notifications', id, 'content'])) ?? {})
  const topic = textOf(record.topic_id)
  return {
    id,
    alias: textOf(record.alias) ?? id,
    state: record.state === 'DRAFT' || warnings.length > 0 ? 'DRAFT' : 'PUBLISHED',
    warnings,
    value: {
      name: textOf(record.name) ?? textOf(record.title) ?? id,
      tags: tagsOf(record.tags),
      ...(topic && { subscription: { topic_id: topic } }),
      ...pick(record, ['brand', 'subscription', 'routing', 'settings']),
      content,
    },
  }
}

/** An array of texts, or of an older generation `{ data: [{ id, name }] }`. */
function tagsOf(tags: unknown): string[] {
  const entries: unknown[] = Array.isArray(tags) ? tags : objectsOf(isObject(tags) ? tags.data : undefined)
  return entries.flatMap((tag) => textOf(isObject(tag) ? tag.name : tag) ?? [])
}

/** Types of elements by those of blocks; of others the API does not show enough. */
const elementTypes: ReadonlyMap<unknown, string> = new Map([
  ['text', 'text'],
  ['markdown', 'text'],
  ['quote', 'quote'],
  ['divider', 'divider'],
])

/** The reply of `GET /notifications/:id/content`: elements, or the blocks of a designer with the titles by channel. */
function contentOf({ version, elements, blocks, channels }: JsonObject): { content: JsonObject; warnings: string[] } {
  if (Array.isArray(elements)) return { content: { version: version ?? '2022-01-01', elements }, warnings: [] }
  const warnings = ['It was made in the designer, whose settings the API does not show: it is a draft here.']
  const body: JsonObject[] = []
  for (const block of objectsOf(blocks)) {
    const type = elementTypes.get(block.type)
    if (type === 'divider') body.push({ type })
    else if (type && textOf(block.content)) body.push({ type, ...textsOf(block) })
    else warnings.push(`The ${String(block.type)} block ${String(block.id)} is not copied.`)
  }
  const [first, ...others] = objectsOf(channels).filter(({ content }) => titleOf(content) !== undefined)
  for (const { type, content } of others)
    if (titleOf(content) !== titleOf(first?.content)) warnings.push(`The title for ${String(type)} is not copied.`)
  return { content: { version: '2022-01-01', elements: [...(first ? [meta(first)] : []), ...body] }, warnings }
}

const textsOf = ({ content, locales }: JsonObject): JsonObject => ({
  content,
  ...translations(locales, (text) => pick({ content: textOf(text) }, ['content'])),
})

/** Translations that are texts; those of lists have a parent and children. */
function translations(locales: unknown, entry: (value: unknown) => JsonObject): JsonObject {
  const entries = Object.entries(isObject(locales) ? locales : {}).map(
    ([locale, value]) => [locale, entry(value)] as const,
  )
  const texts = entries.filter(([, text]) => Object.keys(text).length > 0)
  return texts.length > 0 ? { locales: Object.fromEntries(texts) } : {}
}

const titleOf = (texts: unknown) => (isObject(texts) ? (textOf(texts.subject) ?? textOf(texts.title)) : undefined)

/** The title of a channel, with its translations. */
const meta = ({ content, locales }: JsonObject): JsonObject => ({
  ...{ type: 'meta', title: titleOf(content) },
  ...translations(locales, (texts) => pick({ title: titleOf(texts) }, ['title'])),
})
