/** /notifications: templates written, published, read back and archived. */
import { notificationsPageMax, versionsPageMax } from '@postrider/contract'
import { busy, conflict, invalidRequest, notFound } from '../../base/errors.ts'
import { recordId } from '../../base/ids.ts'
import {
  archiveNotification,
  findNotification,
  findVersion,
  insertNotification,
  listNotifications,
  listPublished,
  type NotificationRow,
  publishVersion,
  saveNotification,
} from '../../database/tables/notifications.ts'
import { type Call, type ResourceHandlers, success } from '../call.ts'
import { catalogueChanged } from '../catalogue.ts'
import { type Payload, payloadOf, record, storedContent, summary } from '../notification-record.ts'
import { paging } from '../paging.ts'

const SAVES_MAX = 5

export const notifications = {
  'notifications.list': async ({ query: { cursor, event_id } }, { house, caller }) => {
    const filter = {
      ...(cursor === undefined ? {} : { cursor }),
      ...(event_id === undefined ? {} : { event: event_id }),
    }
    const page = await listNotifications(house.engine, caller.workspaceId, filter, notificationsPageMax)
    return success('notifications.list', { paging: paging(page), results: page.rows.map(summary) })
  },
  'notifications.create': async ({ body: { notification, state } }, call) => {
    const { caller, now } = call
    const { workspaceId, name: author } = caller
    const id = recordId()
    const alias = notification.alias ?? null
    const publish = state === 'PUBLISHED'
    const payload = payloadOf(notification)
    const written = { created: now, updated: now, creator: author, updater: author }
    const row = { id, alias, draft: 1, published: publish ? 1 : null, ...written }
    const reply = success('notifications.create', record(row, { version: 1, payload, isDraft: !publish }))
    const save = { workspaceId, id, alias, payload, publish, author, now }
    if ((await insertNotification(call.keeping(reply), save)) === 'alias_taken') throw aliasTaken(alias)
    await catalogueChanged(call)
    return reply
  },
  'notifications.get': async ({ params: { id }, query: { version } }, call) =>
    success('notifications.get', await show(call, await known(call, id), version)),
  'notifications.replace': async ({ params: { id }, body: { notification, state } }, call) => {
    const alias = notification.alias
    const saved = await save(call, id, () => payloadOf(notification), state === 'PUBLISHED', alias)
    return success('notifications.replace', await show(call, saved, state === 'PUBLISHED' ? 'published' : 'draft'))
  },
  'notifications.archive': async ({ params }, call) => {
    const { id } = await known(call, params.id)
    const reply = success('notifications.archive', undefined)
    await archiveNotification(call.keeping(reply), call.caller.workspaceId, id, call.caller.name, call.now)
    await catalogueChanged(call)
    return reply
  },
  'notifications.publish': async ({ params, body }, call) => {
    const row = await known(call, params.id)
    const { version } = await versionNamed(call, row, body?.version ?? 'draft')
    const { caller, now } = call
    const reply = success('notifications.publish', undefined)
    await publishVersion(call.keeping(reply), caller.workspaceId, row.id, version, caller.name, now)
    await catalogueChanged(call)
    return reply
  },
  'notifications.versions': async ({ params, query: { cursor, limit } }, call) => {
    const row = await known(call, params.id)
    const { engine } = call.house
    const page = await listPublished(engine, call.caller.workspaceId, row.id, cursor, limit ?? versionsPageMax)
    const published = page.rows.map((each) => ({
      version: `v${each.version}`,
      created: each.published,
      creator: each.creator,
    }))
    // The draft heads the first page.
    if (cursor !== undefined) return success('notifications.versions', { paging: paging(page), versions: published })
    const { created, creator } = await versionNamed(call, row, 'draft')
    const draft = { version: 'draft', created, creator, has_changes: row.draft !== row.published }
    return success('notifications.versions', { paging: paging(page), versions: [draft, ...published] })
  },
  'notifications.content': async ({ params: { id }, query: { version } }, call) =>
    success('notifications.content', (await show(call, await known(call, id), version)).content),
  'notifications.draftContent': async ({ params: { id } }, call) =>
    success('notifications.draftContent', (await show(call, await known(call, id), 'draft')).content),
  'notifications.replaceContent': async ({ params, body: { content, state } }, call) => {
    const stored = storedContent(content)
    const { id } = await save(call, params.id, (before) => ({ ...before, content: stored }), state === 'PUBLISHED')
    const { elements, version } = stored
    return success('notifications.replaceContent', { id, elements, version, state: state ?? 'DRAFT' })
  },
} satisfies ResourceHandlers<'notifications'>

const aliasTaken = (alias: string | null) => conflict(`The alias ${alias} belongs to another notification`)

async function known({ house, caller }: Call, name: string): Promise<NotificationRow> {
  const row = await findNotification(house.engine, caller.workspaceId, name)
  if (!row) throw notFound()
  return row
}

async function show(call: Call, row: NotificationRow, version: string | undefined) {
  return record(row, await versionNamed(call, row, version ?? (row.published === null ? 'draft' : 'published')))
}

/** `draft`, `published` or `v3`; a 404 for a version there is not. */
async function versionNamed({ house, caller }: Call, row: NotificationRow, name: string) {
  const digits = /^v(\d{1,9})$/.exec(name)?.[1]
  if (!digits && name !== 'draft' && name !== 'published')
    throw invalidRequest('version must be draft, published or a version such as v3')
  const number = name === 'draft' ? row.draft : name === 'published' ? row.published : Number(digits)
  const found = number === null ? undefined : await findVersion(house.engine, caller.workspaceId, row.id, number)
  if (!found) throw notFound('Version not found')
  return { ...found, payload: found.payload as unknown as Payload, isDraft: name === 'draft' }
}

/** A new version made of the draft; `alias` undefined: it stays. */
async function save(
  call: Call,
  name: string,
  make: (draft: Payload) => Payload,
  publish: boolean,
  alias?: string | null,
): Promise<NotificationRow> {
  const { house, caller, now } = call
  for (let attempt = 0; attempt < SAVES_MAX; attempt += 1) {
    const row = await known(call, name)
    const { payload } = await versionNamed(call, row, 'draft')
    const outcome = await saveNotification(house.engine, row, {
      workspaceId: caller.workspaceId,
      id: row.id,
      alias: alias === undefined ? row.alias : alias,
      payload: make(payload),
      publish,
      author: caller.name,
      now,
    })
    if (outcome === 'alias_taken') throw aliasTaken(alias ?? row.alias)
    if (outcome === 'overtaken') continue
    await catalogueChanged(call)
    return known(call, row.id)
  }
  throw busy('The notification is being changed by others')
}
