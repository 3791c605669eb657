/** Notifications as definitions: named by their alias, else by their id; their drafts are what is kept in files. */
import { isPostriderError, type Notification, type NotificationInput, type Postrider } from '@postrider/client'
import {
  type Definition,
  type DefinitionKind,
  type Document,
  inParallel,
  isObject,
  type ServerDefinition,
} from './definition.ts'
import type { PushOptions } from './push-plan.ts'

const defaults = { tags: [], routing: null, brand: null, subscription: null, settings: {} }

/** As the server stores it: the short form is a title and a text. */
function completeContent(content: unknown): unknown {
  if (!isObject(content)) return content
  if (content.elements !== undefined) return { version: '2022-01-01', ...content }
  const title = content.title ? [{ type: 'meta', title: content.title }] : []
  return { version: '2022-01-01', elements: [...title, { type: 'text', content: content.body }] }
}

const isDefault = (field: string, value: unknown) =>
  Object.hasOwn(defaults, field) && JSON.stringify(value) === JSON.stringify(defaults[field as keyof typeof defaults])

function serverDefinition(shown: Notification): ServerDefinition {
  const { id, alias, name, tags, routing, brand, subscription, settings, content, created, updated } = shown
  return {
    id,
    name: alias ?? id,
    version: updated ?? created,
    document: { name, tags, routing, brand, subscription, settings, content },
  }
}

/** Undefined for one that was archived meanwhile. */
async function draftOf({ notifications }: Postrider, name: string): Promise<Notification | undefined> {
  try {
    return await notifications.get(name, { version: 'draft' })
  } catch (error) {
    if (isPostriderError(error, 'not_found')) return undefined
    throw error
  }
}

const bodyOf = ({ document }: Definition, { publish }: Pick<PushOptions, 'publish'>) => ({
  notification: document as unknown as NotificationInput,
  ...(publish && { state: 'PUBLISHED' as const }),
})

export const templates: DefinitionKind<PushOptions> = {
  noun: 'template',
  plural: 'templates',
  folder: 'templates',
  fields: ['name', 'tags', 'routing', 'brand', 'subscription', 'settings', 'content'],
  complete: (document) => ({ ...defaults, ...document, content: completeContent(document.content) }),
  brief: (document): Document =>
    Object.fromEntries(Object.entries(document).filter(([field, value]) => !isDefault(field, value))),
  async readAll(client, progress) {
    const ids: string[] = []
    for await (const { id } of client.notifications.list({ limit: 100 })) ids.push(id)
    const drafts = await inParallel(ids, (id) => draftOf(client, id), progress)
    return drafts.flatMap((draft) => (draft ? [serverDefinition(draft)] : []))
  },
  async readOne(client, name) {
    const draft = await draftOf(client, name)
    return draft && serverDefinition(draft)
  },
  async check({ notifications }, definition, options) {
    return (await notifications.inspect(bodyOf(definition, options))).warnings
  },
  async write({ notifications }, definition, server, options) {
    const body = bodyOf(definition, options)
    // The alias makes a repetition find what the first attempt created.
    const written = server
      ? await notifications.replace(server.id, body, { ifMatch: server.version })
      : await notifications.create({ ...body, notification: { ...body.notification, alias: definition.name } })
    return serverDefinition(written).document
  },
  remove: ({ notifications }, id) => notifications.archive(id),
  async finish({ notifications }, { id }, { publish }) {
    if (!publish) return undefined
    const { versions } = await notifications.versions(id, { limit: 1 })
    return versions[0]?.has_changes ? () => notifications.publish(id) : undefined
  },
}
