/** /notifications: templates written, published, read back and archived. */
import { bodyBytesMax, type ContentInput, notificationsPage, versionsPage } from '@postrider/contract'
import { conflict, invalidField, notFound, tooLarge } from '../../../base/errors.ts'
import { recordId } from '../../../base/ids.ts'
import { jsonBytes } from '../../../base/json/json.ts'
import { quoted } from '../../../base/quote.ts'
import { isDuplicate, type Statement } from '../../../database/engine.ts'
import {
  archiveNotification,
  changedAt,
  findNotification,
  findVersion,
  insertNotification,
  isAliasTaken,
  listNotifications,
  listPublished,
  type NotificationRow,
  type NotificationSave,
  publishVersion,
  saveBoth,
  saveNotification,
} from '../../../database/tables/notifications/notifications.ts'
import {
  checkPublishable,
  contentWarnings,
  missingTranslations,
  notificationRecord,
  type Payload,
  payloadOf,
  summary,
} from '../../../notifications/notification.ts'
import { strategyRoutings } from '../../../notifications/routing-strategies.ts'
import { compile } from '../../../templates/compile.ts'
import { variablesRead } from '../../../templates/data-variables.ts'
import { templateSizeWarnings } from '../../../templates/mail/size.ts'
import { type CallContext, paging, success } from '../../call.ts'
import { requireKind } from '../../key-kinds.ts'
import { warnOfNotification } from '../../missing-references.ts'
import { changesConfig, type ResourceHandlers, retry } from '../../outcome.ts'
import { checkPreconditions, entityTagOf, resourceNamed } from '../../preconditions.ts'
import { warn } from '../../warnings.ts'

export const notifications = {
  'notifications.list': async ({ query: { cursor, limit = notificationsPage, event_id } }, { app, caller }) => {
    const filter = {
      ...(cursor === undefined ? {} : { cursor }),
      ...(event_id === undefined ? {} : { event: event_id }),
    }
    const page = await listNotifications(app.database, caller.workspaceId, filter, limit)
    const routings = await strategyRoutings(app.database, caller.workspaceId, page.rows)
    const results = page.rows.map((row) => summary(row, routings))
    return success('notifications.list', { paging: paging(page), results })
  },
  'notifications.create': async ({ body: { notification, state } }, ctx) => {
    const { caller, now } = ctx
    const { workspaceId, name: author } = caller
    const id = recordId()
    const alias = notification.alias ?? null
    if (alias !== null) requireKind('published', caller)
    const publish = state === 'PUBLISHED'
    const payload = payloadOf(notification)
    if (publish) checkPublication(ctx, payload, notification.content)
    await warnOfNotification(ctx, payload)
    const written = { created: now, updated: now, creator: author, updater: author }
    const row = { id, alias, draft: 1, published: publish ? 1 : null, ...written }
    const reply = success('notifications.create', notificationRecord(row, { version: 1, payload, isDraft: !publish }))
    const save = { workspaceId, id, alias, payload, publish, author, now }
    return {
      reply,
      writes: insertNotification(save),
      onConflict: (error) => (isAliasTaken(error) ? aliasTaken(alias) : undefined),
      changesConfig,
    }
  },
  'notifications.get': async ({ params: { id }, query: { version } }, ctx) => {
    const row = await requireNotification(ctx, id)
    return { ...success('notifications.get', await show(ctx, row, version)), headers: entityTagOf(row.updated) }
  },
  'notifications.replace': async ({ params: { id }, body: { notification, state } }, ctx) => {
    const { alias } = notification
    const publish = state === 'PUBLISHED'
    const {
      id: saved,
      writes,
      onConflict,
    } = await save(ctx, id, {
      ...{ make: () => payloadOf(notification), written: notification.content },
      ...{ publish, alias },
    })
    await warnOfNotification(ctx, notification)
    return {
      ...{ writes, onConflict, changesConfig },
      replyFrom: async () => {
        const row = await requireNotification(ctx, saved)
        const shown = await show(ctx, row, publish ? 'published' : 'draft')
        return { ...success('notifications.replace', shown), headers: entityTagOf(row.updated) }
      },
    }
  },
  'notifications.archive': async ({ params }, ctx) => {
    const { id } = await requireNotification(ctx, params.id)
    return {
      reply: success('notifications.archive', undefined),
      writes: archiveNotification(ctx.caller.workspaceId, id, ctx.caller.name, ctx.now),
      changesConfig,
    }
  },
  'notifications.publish': async ({ params, body }, ctx) => {
    const row = await requireNotification(ctx, params.id)
    const { version, payload } = await versionNamed(ctx, row, body?.version ?? 'draft')
    checkPublication(ctx, payload)
    await warnOfNotification(ctx, payload)
    const { caller, now } = ctx
    return {
      reply: success('notifications.publish', undefined),
      writes: publishVersion(caller.workspaceId, row.id, version, caller.name, now),
      changesConfig,
    }
  },
  'notifications.restore': async ({ params, body: { version, state } }, ctx) => {
    const row = await requireNotification(ctx, params.id)
    const { payload } = await versionNamed(ctx, row, version)
    const publish = state === 'PUBLISHED'
    if (publish) checkPublishable(payload, true)
    const { caller, now } = ctx
    const shown = { version: row.draft + 1, payload, isDraft: !publish }
    return {
      reply: success(
        'notifications.restore',
        notificationRecord({ ...row, updated: changedAt(row.updated, now), updater: caller.name }, shown),
      ),
      ...conflicting(saveNotification(row, saveOf(ctx, row, payload, publish)), row.alias),
    }
  },
  'notifications.inspect': async ({ body: { notification, state } }, { app, caller }) => {
    const payload = payloadOf(notification)
    if (state === 'PUBLISHED') checkPublishable(payload, true, notification.content)
    const template = compile(payload.content)
    return success('notifications.inspect', {
      variables: variablesRead(template, payload.settings.if),
      snippets: [...template.snippets],
      warnings: [
        ...contentWarnings(template),
        ...templateSizeWarnings(template),
        ...(await missingTranslations(app.database, caller.workspaceId, template)),
      ],
    })
  },
  'notifications.versions': async ({ params, query: { cursor, limit } }, ctx) => {
    const row = await requireNotification(ctx, params.id)
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

const aliasTaken = (alias: string | null) =>
  conflict('already_exists', `The alias ${quoted(alias)} belongs to another notification`, 'notification.alias')

export async function requireNotification({ app, caller }: CallContext, name: string): Promise<NotificationRow> {
  const row = await findNotification(app.database, caller.workspaceId, name)
  if (!row) throw notFound()
  return row
}

export async function show(ctx: CallContext, row: NotificationRow, version: string | undefined) {
  return notificationRecord(
    row,
    await versionNamed(ctx, row, version ?? (row.published === null ? 'draft' : 'published')),
  )
}

/** `draft`, `published` or `v3`; a 404 for a version there is not. */
export async function versionNamed({ app, caller }: CallContext, row: NotificationRow, name: string) {
  const digits = /^v(\d{1,9})$/.exec(name)?.[1]
  if (!digits && name !== 'draft' && name !== 'published')
    throw invalidField('version', 'must be `draft`, `published` or a version such as `v3`')
  const number = name === 'draft' ? row.draft : name === 'published' ? row.published : Number(digits)
  const version = number === null ? undefined : await findVersion(app.database, caller.workspaceId, row.id, number)
  if (!version) throw notFound('Version not found')
  return { ...version, payload: version.payload as unknown as Payload, isDraft: name === 'draft' }
}

type Make = (before: Payload) => Payload

interface Save {
  make: Make
  publish: boolean
  /** Undefined: it stays. */
  alias?: string | null | undefined
  /** The content of the call, where that is all of the content: errors name its places. */
  written?: ContentInput
}

/** A new version made of the draft. */
export async function save(ctx: CallContext, name: string, { make, publish, alias, written }: Save) {
  const row = await requireNotification(ctx, name)
  // A save that comes between this and the writes is found by its version, and the call runs again.
  checkPreconditions(ctx.preconditions, resourceNamed('notification', row.id), row.updated)
  // Sends name it by its alias, whatever its draft says.
  if (alias !== undefined && alias !== row.alias) requireKind('published', ctx.caller)
  const { payload } = await versionNamed(ctx, row, 'draft')
  const made = make(payload)
  const next = { ...saveOf(ctx, row, made, publish, written), ...(alias !== undefined && { alias }) }
  return { id: row.id, made, ...conflicting(saveNotification(row, next), next.alias) }
}

/** The same change of what is published and of the draft; the former stays published. */
export async function savePublished(ctx: CallContext, name: string, make: Make) {
  const row = await requireNotification(ctx, name)
  const published = saveOf(ctx, row, make((await versionNamed(ctx, row, 'published')).payload), true)
  if (row.draft === row.published) return conflicting(saveNotification(row, published), row.alias)
  const draft = saveOf(ctx, row, make((await versionNamed(ctx, row, 'draft')).payload), false)
  return conflicting(saveBoth(row, published, draft), row.alias)
}

/** Throws a 400 for content that cannot be published, and warns of the rest. */
function checkPublication(ctx: CallContext, payload: Payload, written?: ContentInput): void {
  checkPublishable(payload, ctx.strict, written)
  warn(ctx, ...contentWarnings(compile(payload.content)))
}

function saveOf(
  ctx: CallContext,
  row: NotificationRow,
  payload: Payload,
  publish: boolean,
  written?: ContentInput,
): NotificationSave {
  if (publish) checkPublication(ctx, payload, written)
  // Translations are added one by one: together they stay as small as what one call can write.
  if (jsonBytes(payload) > bodyBytesMax) throw tooLarge('The content is larger than 6 MB')
  const { caller, now } = ctx
  return { workspaceId: caller.workspaceId, id: row.id, alias: row.alias, payload, publish, author: caller.name, now }
}

const conflicting = (writes: Statement[], alias: string | null) => ({
  writes,
  onConflict(error: Error) {
    if (isAliasTaken(error)) return aliasTaken(alias)
    return isDuplicate(error) ? retry('The notification is being changed by others') : undefined
  },
  changesConfig,
})
