/** /notifications: templates written, published, read back and archived. */
import { notificationsPage, versionsPage } from '@postrider/contract'
import { recordId } from '../../base/ids.ts'
import {
  archiveNotification,
  insertNotification,
  isAliasTaken,
  listNotifications,
  listPublished,
  publishVersion,
} from '../../database/tables/notifications/notifications.ts'
import { checkPublishable, payloadOf, record, summary } from '../../notifications/notification.ts'
import { compile } from '../../templates/compile.ts'
import { variablesRead } from '../../templates/data-variables.ts'
import { success } from '../call.ts'
import { changesConfig, type ResourceHandlers } from '../outcome.ts'
import { paging } from '../paging.ts'
import { aliasTaken, known, save, show, versionNamed } from '../records/notification-versions.ts'

export const notifications = {
  'notifications.list': async ({ query: { cursor, limit = notificationsPage, event_id } }, { app, caller }) => {
    const filter = {
      ...(cursor === undefined ? {} : { cursor }),
      ...(event_id === undefined ? {} : { event: event_id }),
    }
    const page = await listNotifications(app.database, caller.workspaceId, filter, limit)
    return success('notifications.list', { paging: paging(page), results: page.rows.map(summary) })
  },
  'notifications.create': ({ body: { notification, state } }, ctx) => {
    const { caller, now } = ctx
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
    return {
      reply,
      writes: insertNotification(save),
      onConflict: (error) => (isAliasTaken(error) ? aliasTaken(alias) : undefined),
      changesConfig,
    }
  },
  'notifications.get': async ({ params: { id }, query: { version } }, ctx) =>
    success('notifications.get', await show(ctx, await known(ctx, id), version)),
  'notifications.replace': async ({ params: { id }, body: { notification, state } }, ctx) => {
    const { alias } = notification
    const publish = state === 'PUBLISHED'
    const {
      id: saved,
      writes,
      onConflict,
    } = await save(ctx, id, { make: () => payloadOf(notification), publish, alias })
    return {
      ...{ writes, onConflict, changesConfig },
      replyFrom: async () =>
        success('notifications.replace', await show(ctx, await known(ctx, saved), publish ? 'published' : 'draft')),
    }
  },
  'notifications.archive': async ({ params }, ctx) => {
    const { id } = await known(ctx, params.id)
    return {
      reply: success('notifications.archive', undefined),
      writes: archiveNotification(ctx.caller.workspaceId, id, ctx.caller.name, ctx.now),
      changesConfig,
    }
  },
  'notifications.publish': async ({ params, body }, ctx) => {
    const row = await known(ctx, params.id)
    const { version, payload } = await versionNamed(ctx, row, body?.version ?? 'draft')
    checkPublishable(payload)
    const { caller, now } = ctx
    return {
      reply: success('notifications.publish', undefined),
      writes: publishVersion(caller.workspaceId, row.id, version, caller.name, now),
      changesConfig,
    }
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
  'notifications.versions': async ({ params, query: { cursor, limit } }, ctx) => {
    const row = await known(ctx, params.id)
    const { database } = ctx.app
    const page = await listPublished(database, ctx.caller.workspaceId, row.id, cursor, limit ?? versionsPage)
    const published = page.rows.map((each) => ({
      version: `v${each.version}`,
      created: each.published,
      creator: each.creator,
    }))
    // The draft heads the first page.
    if (cursor !== undefined) return success('notifications.versions', { paging: paging(page), versions: published })
    const { created, creator } = await versionNamed(ctx, row, 'draft')
    const draft = { version: 'draft', created, creator, has_changes: row.draft !== row.published }
    return success('notifications.versions', { paging: paging(page), versions: [draft, ...published] })
  },
} satisfies Partial<ResourceHandlers<'notifications'>>
