/** Finds a notification and its versions for a call, and saves the next version of it. */
import { bodyBytesMax } from '@postrider/contract'
import { conflict, invalidRequest, notFound, tooLarge } from '../../base/errors.ts'
import { quoted } from '../../base/quote.ts'
import { isDuplicate, type Statement } from '../../database/engine.ts'
import {
  findNotification,
  findVersion,
  isAliasTaken,
  type NotificationRow,
  type NotificationSave,
  saveBoth,
  saveNotification,
} from '../../database/tables/notifications/notifications.ts'
import { checkPublishable, type Payload, record } from '../../notifications/notification.ts'
import type { CallContext } from '../call.ts'
import { changesConfig, retry } from '../outcome.ts'

export const aliasTaken = (alias: string | null) =>
  conflict(`The alias ${quoted(alias)} belongs to another notification`)

export async function known({ app, caller }: CallContext, name: string): Promise<NotificationRow> {
  const row = await findNotification(app.database, caller.workspaceId, name)
  if (!row) throw notFound()
  return row
}

export async function show(ctx: CallContext, row: NotificationRow, version: string | undefined) {
  return record(row, await versionNamed(ctx, row, version ?? (row.published === null ? 'draft' : 'published')))
}

/** `draft`, `published` or `v3`; a 404 for a version there is not. */
export async function versionNamed({ app, caller }: CallContext, row: NotificationRow, name: string) {
  const digits = /^v(\d{1,9})$/.exec(name)?.[1]
  if (!digits && name !== 'draft' && name !== 'published')
    throw invalidRequest('version must be `draft`, `published` or a version such as `v3`')
  const number = name === 'draft' ? row.draft : name === 'published' ? row.published : Number(digits)
  const found = number === null ? undefined : await findVersion(app.database, caller.workspaceId, row.id, number)
  if (!found) throw notFound('Version not found')
  return { ...found, payload: found.payload as unknown as Payload, isDraft: name === 'draft' }
}

type Make = (before: Payload) => Payload

interface Save {
  make: Make
  publish: boolean
  /** Undefined: it stays. */
  alias?: string | null | undefined
}

/** A new version made of the draft. */
export async function save(ctx: CallContext, name: string, { make, publish, alias }: Save) {
  const row = await known(ctx, name)
  const { payload } = await versionNamed(ctx, row, 'draft')
  const made = make(payload)
  const next = { ...saveOf(ctx, row, made, publish), ...(alias !== undefined && { alias }) }
  return { id: row.id, made, ...conflicting(saveNotification(row, next), next.alias) }
}

/** The same change of what is published and of the draft; the former stays published. */
export async function savePublished(ctx: CallContext, name: string, make: Make) {
  const row = await known(ctx, name)
  const published = saveOf(ctx, row, make((await versionNamed(ctx, row, 'published')).payload), true)
  if (row.draft === row.published) return conflicting(saveNotification(row, published), row.alias)
  const draft = saveOf(ctx, row, make((await versionNamed(ctx, row, 'draft')).payload), false)
  return conflicting(saveBoth(row, published, draft), row.alias)
}

function saveOf(
  { caller, now }: CallContext,
  row: NotificationRow,
  payload: Payload,
  publish: boolean,
): NotificationSave {
  if (publish) checkPublishable(payload)
  // Translations are added one by one: together they stay as small as what one call can write.
  if (Buffer.byteLength(JSON.stringify(payload)) > bodyBytesMax) throw tooLarge('The content is larger than 6 MB')
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
