/** Kinds of records that are read as a list and written under the ids that they have at the source. */
import { isPostriderError } from '@postrider/client'
import { isObject } from '../definitions/definition.ts'
import type { JsonObject } from '../rows/columns.ts'
import { type Api, idOf, objectsOf, pick, read, readPages, textOf } from './api.ts'
import { type ChoiceSource, preferencesAtTarget } from './choices.ts'

/** A record with the id that it has on both servers. */
export interface SourceRecord {
  id: string
  value: JsonObject
}

export interface RecordKind {
  name: string
  records(source: Api): AsyncGenerator<SourceRecord>
  /** Where the target has the record. */
  path(record: SourceRecord): readonly string[]
  body(record: SourceRecord, from: ChoiceSource): JsonObject | Promise<JsonObject>
  /** Where a record is created with its id in the body; absent: by PUT on its path. */
  createAt?(record: SourceRecord): readonly string[]
}

/** The records of a list. */
const listed = (...path: readonly string[]) =>
  async function* (source: Api): AsyncGenerator<SourceRecord> {
    for await (const value of readPages(source, path)) {
      const id = idOf(value.id)
      if (id !== undefined) yield { id, value }
    }
  }

const recordKind = (
  path: readonly string[],
  { name = path.join(' '), ...rest }: Pick<RecordKind, 'body'> & Partial<RecordKind>,
): RecordKind => ({ name, records: listed(...path), path: ({ id }) => [...path, id], ...rest })

const strategies = recordKind(['routing-strategies'], {
  // Entries of the list have no routing.
  body: async ({ id, value }, { source }) =>
    pick({ ...value, ...(await read(source, ['routing-strategies', id])) }, [
      ...['name', 'description', 'tags', 'routing', 'channels', 'providers'],
    ]),
  createAt: () => ['routing-strategies'],
})

const sections = recordKind(['preferences', 'sections'], {
  name: 'sections',
  body: ({ value }) => pick(value, ['name', 'routing_options', 'has_custom_routing']),
  createAt: () => ['preferences', 'sections'],
})

const sectionOf = ({ value }: SourceRecord) => String(value.section_id)

const topics: RecordKind = {
  name: 'topics',
  async *records(source) {
    for await (const { id: section_id } of sections.records(source))
      try {
        for await (const { id, value } of listed('preferences', 'sections', section_id, 'topics')(source))
          yield { id, value: { ...value, section_id } }
      } catch (error) {
        // The section was archived meanwhile.
        if (!isPostriderError(error, 'not_found')) throw error
      }
  },
  path: (record) => ['preferences', 'sections', sectionOf(record), 'topics', record.id],
  body: ({ value }) =>
    pick(value, [
      ...['name', 'default_status', 'routing_options', 'allowed_preferences'],
      ...['include_unsubscribe_header', 'topic_data'],
    ]),
  createAt: (record) => ['preferences', 'sections', sectionOf(record), 'topics'],
}

const tenants: RecordKind = {
  ...recordKind(['tenants'], {
    body: ({ value }) => ({
      ...pick(value, ['name', 'parent_tenant_id', 'properties', 'user_profile', 'brand_id']),
      default_preferences: { items: defaultsOf(value.default_preferences) },
    }),
  }),
  async *records(source) {
    const rest = new Map<string, SourceRecord>()
    for await (const record of listed('tenants')(source)) rest.set(record.id, record)
    // Parents first: the target refuses a tenant whose parent does not exist. In a cycle any of them comes first.
    while (rest.size > 0) {
      const ready = [...rest.values()].filter(({ value }) => !rest.has(String(value.parent_tenant_id)))
      for (const record of ready.length > 0 ? ready : rest.values()) {
        rest.delete(record.id)
        yield record
      }
    }
  },
}

const defaultsOf = (defaults: unknown): JsonObject[] =>
  objectsOf(isObject(defaults) ? defaults.items : undefined).map((item) =>
    pick(item, ['id', 'status', 'has_custom_routing', 'custom_routing']),
  )

/** In the order in which they refer to each other. */
export const beforeTemplates: readonly RecordKind[] = [
  recordKind(['brands'], {
    body: ({ value }) => ({ settings: {}, ...pick(value, ['name', 'settings', 'snippets']) }),
    createAt: () => ['brands'],
  }),
  strategies,
  sections,
  topics,
]

export const afterTemplates: readonly RecordKind[] = [
  tenants,
  recordKind(['lists'], {
    body: async ({ id, value }, from) => ({
      ...{ name: textOf(value.name) ?? id },
      ...(value.preferences != null && { preferences: await preferencesAtTarget(from, value.preferences) }),
    }),
  }),
  recordKind(['audiences'], { body: ({ value }) => pick(value, ['name', 'description', 'filter', 'operator']) }),
]
