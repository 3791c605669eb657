/** Finds a notification and its versions for a call, and saves the next version of it. */
import { bodyBytesMax } from '@postrider/contract'
import { conflict, invalidRequest, notFound, tooLarge } from '../../base/errors.ts'
import { quoted } from '../../base/quote.ts'
import type { Commit } from '../../database/engine.ts'
import { findVersion } from '../../database/tables/notifications/notification-versions.ts'
import {
  findNotification,
  type NotificationRow,
  type NotificationSave,
  saveBoth,
  saveNotification,
} from '../../database/tables/notifications/notifications.ts'
import { checkPublishable, type Payload, record } from '../../notifications/notification.ts'
import type { Call } from '../call.ts'
import { contended } from '../retry-on-conflict.ts'
import { catalogueChanged } from '../workspace-config-change.ts'

export const aliasTaken = (alias: string | null) =>
  conflict(`The alias ${quoted(alias)} belongs to another notification`)

export async function known({ house, caller }: Call, name: string): Promise<NotificationRow> {
  const row = await findNotification(house.engine, caller.workspaceId, name)
  if (!row) throw notFound()
  return row
}

export async function show(call: Call, row: NotificationRow, version: string | undefined) {
  return record(row, await versionNamed(call, row, version ?? (row.published === null ? 'draft' : 'published')))
}

/** `draft`, `published` or `v3`; a 404 for a version there is not. */
export async function versionNamed({ house, caller }: Call, row: NotificationRow, name: string) {
  const digits = /^v(\d{1,9})$/.exec(name)?.[1]
  if (!digits && name !== 'draft' && name !== 'published')
    throw invalidRequest('version must be `draft`, `published` or a version such as `v3`')
  const number = name === 'draft' ? row.draft : name === 'published' ? row.published : Number(digits)
  const found = number === null ? undefined : await findVersion(house.engine, caller.workspaceId, row.id, number)
  if (!found) throw notFound('Version not found')
  return { ...found, payload: found.payload as unknown as Payload, isDraft: name === 'draft' }
}

type Make = (before: Payload) => Payload

interface SaveOptions {
  /** Undefined: it stays. */
  alias?: string | null | undefined
  /** Where it is written, once it is known what. */
  commit?: (id: string, made: Payload) => Commit
}

/** A new version made of the draft. */
export function save(
  call: Call,
  name: string,
  make: Make,
  publish: boolean,
  { alias, commit = () => call.house.engine.batch }: SaveOptions = {},
): Promise<NotificationRow> {
  return attempt(call, name, async (row) => {
    const { payload } = await versionNamed(call, row, 'draft')
    const made = make(payload)
    const next = { ...saveOf(call, row, made, publish), ...(alias !== undefined && { alias }) }
    const outcome = await saveNotification(commit(row.id, made), row, next)
    if (outcome === 'alias_taken') throw aliasTaken(next.alias)
    return outcome
  })
}

/** The same change of what is published and of the draft; the former stays published. */
export function savePublished(call: Call, name: string, make: Make, commit: Commit): Promise<NotificationRow> {
  return attempt(call, name, async (row) => {
    const published = saveOf(call, row, make((await versionNamed(call, row, 'published')).payload), true)
    if (row.draft === row.published) return saveNotification(commit, row, published)
    const draft = saveOf(call, row, make((await versionNamed(call, row, 'draft')).payload), false)
    return saveBoth(commit, row, published, draft)
  })
}

function saveOf({ caller, now }: Call, row: NotificationRow, payload: Payload, publish: boolean): NotificationSave {
  if (publish) checkPublishable(payload)
  // Translations are added one by one: together they stay as small as what one call can write.
  if (Buffer.byteLength(JSON.stringify(payload)) > bodyBytesMax) throw tooLarge('The content is larger than 6 MB')
  return { workspaceId: caller.workspaceId, id: row.id, alias: row.alias, payload, publish, author: caller.name, now }
}

function attempt(
  call: Call,
  name: string,
  write: (row: NotificationRow) => ReturnType<typeof saveNotification>,
): Promise<NotificationRow> {
  return contended('The notification is being changed by others', async () => {
    const row = await known(call, name)
    const outcome = await write(row)
    if (outcome !== 'stored') return undefined
    await catalogueChanged(call)
    return known(call, row.id)
  })
}
