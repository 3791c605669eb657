/** /notifications: templates written, published, read back and archived. */
import { notificationsPage, versionsPage } from '@postrider/contract'
import { recordId } from '../../base/ids.ts'
import { listPublished, publishVersion } from '../../database/tables/notifications/notification-versions.ts'
import {
  archiveNotification,
  insertNotification,
  listNotifications,
} from '../../database/tables/notifications/notifications.ts'
import { checkPublishable, payloadOf, record, summary } from '../../notifications/notification.ts'
import { compile } from '../../templates/compile.ts'
import { variablesRead } from '../../templates/data-variables.ts'
import { type ResourceHandlers, success } from '../call.ts'
import { paging } from '../paging.ts'
import { aliasTaken, known, save, show, versionNamed } from '../records/notification-versions.ts'
import { catalogueChanged } from '../workspace-config-change.ts'

export const notifications = {
  'notifications.list': async ({ query: { cursor, limit = notificationsPage, event_id } }, { house, caller }) => {
    const filter = {
      ...(cursor === undefined ? {} : { cursor }),
      ...(event_id === undefined ? {} : { event: event_id }),
    }
    const page = await listNotifications(house.engine, caller.workspaceId, filter, limit)
    return success('notifications.list', { paging: paging(page), results: page.rows.map(summary) })
  },
  'notifications.create': async ({ body: { notification, state } }, call) => {
    const { caller, now } = call
    const { workspaceId, name: author } = caller
    const id = recordId()
    const alias = notification.alias ?? null
    const publish = state === 'PUBLISHED'
    const payload = payloadOf(notification)
    if (publish) checkPublishable(payload)
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
    const saved = await save(call, id, () => payloadOf(notification), state === 'PUBLISHED', { alias })
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
    const { version, payload } = await versionNamed(call, row, body?.version ?? 'draft')
    checkPublishable(payload)
    const { caller, now } = call
    const reply = success('notifications.publish', undefined)
    await publishVersion(call.keeping(reply), caller.workspaceId, row.id, version, caller.name, now)
    await catalogueChanged(call)
    return reply
  },
  'notifications.inspect': async ({ body: { notification, state } }) => {
    const payload = payloadOf(notification)
    if (state === 'PUBLISHED') checkPublishable(payload)
    const template = compile(payload.content)
    return success('notifications.inspect', {
      variables: variablesRead(template, payload.settings.if),
      snippets: [...template.snippets],
      warnings: template.findings,
    })
  },
  'notifications.versions': async ({ params, query: { cursor, limit } }, call) => {
    const row = await known(call, params.id)
    const { engine } = call.house
    const page = await listPublished(engine, call.caller.workspaceId, row.id, cursor, limit ?? versionsPage)
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
} satisfies Partial<ResourceHandlers<'notifications'>>
