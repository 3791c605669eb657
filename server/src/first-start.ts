/** Seeds an empty database: two workspaces, a sandbox for every channel, a notification, a brand and an API key. */

import { keyScope, workspaceOf } from './api/authentication.ts'
import { newKey } from './api/resources/workspace/keys.ts'
import { recordId } from './base/ids.ts'
import type { JsonObject } from './base/json/json.ts'
import { hashKey } from './base/secret.ts'
import { DatabaseRefused, type Engine, type Statement, UNIQUE_VIOLATION } from './database/engine.ts'
import { lockSchema } from './database/migrate.ts'
import { firstRow, query, statement } from './database/query.ts'
import { brandInsert, INITIAL_BRAND_NAME } from './database/tables/notifications/brands.ts'
import { insertKey, keyInsert, type NewKey } from './database/tables/workspace/api-keys.ts'
import { defaultColors } from './templates/mail/theme.ts'

export interface FirstStart {
  /** Shown once; undefined when the operator chose the key. */
  apiKey: string | undefined
  keyId: string
}

const CREATOR = 'postrider'

/** False for a database on which no server has started: it has no workspaces. */
export async function hasStarted(engine: Engine): Promise<boolean> {
  return (await firstRow(engine, query.selectFrom('workspaces').select('id').limit(1))) !== undefined
}

/** Undefined when the database was seeded before. Safe with concurrent starts: one node seeds. */
export async function firstStart(engine: Engine, now: number, chosenKey?: string): Promise<FirstStart | undefined> {
  const seeded = await hasStarted(engine)
  const apiKey = chosenKey ?? newKey('published', 'production')
  const key = keyRow(apiKey, now)
  const made = seeded ? false : await seed(engine, key, now)
  // Also for an existing database: the operator may choose another key at any start.
  if (chosenKey && !made) await insertKey(engine, key)
  return made ? { apiKey: chosenKey ? undefined : apiKey, keyId: key.id } : undefined
}

async function seed(engine: Engine, key: NewKey, now: number): Promise<boolean> {
  const workspaces = Object.entries(workspaceOf)
  try {
    await engine.batch([
      lockSchema,
      // Without `on conflict`: of two nodes the second one fails here.
      ...workspaces.map(([name, id]) => statement(query.insertInto('workspaces').values({ id, name }))),
      ...workspaces.flatMap(([, id]) => workspaceSeed(id, now)),
      // In the same commit: no database is left without an API key.
      keyInsert(key),
    ])
    return true
  } catch (error) {
    if (error instanceof DatabaseRefused && error.code === UNIQUE_VIOLATION) return false
    throw error
  }
}

function workspaceSeed(workspaceId: number, now: number): Statement[] {
  const notificationId = recordId()
  const row = { workspace_id: workspaceId, created: now }
  const rows = [
    query.insertInto('integrations').values({
      ...row,
      id: recordId(),
      provider: 'mailbox',
      channel: null,
      title: 'Mailbox',
      alias: null,
      enabled: true,
      // After all integrations that an operator adds.
      priority: 1_000,
      settings: '{}',
      secrets: null,
      version: 1,
      updated: now,
    }),
    query.insertInto('notifications').values({
      ...row,
      id: notificationId,
      alias: null,
      draft_version: 1,
      published_version: 1,
      updated: now,
      creator: CREATOR,
      updater: CREATOR,
      archived: null,
    }),
    query.insertInto('notification_versions').values({
      ...row,
      notification_id: notificationId,
      version: 1,
      payload: JSON.stringify(welcome),
      creator: CREATOR,
      published: now,
    }),
    query
      .insertInto('events')
      .values({ workspace_id: workspaceId, event: 'welcome', notification_id: notificationId, updated: now }),
  ].map(statement)
  return [...rows, brandInsert({ workspaceId, id: recordId(), ...plainBrand, makeDefault: true, now })]
}

/** The default look of mails; operators can replace it. */
const plainBrand = { name: INITIAL_BRAND_NAME, settings: { colors: defaultColors }, snippets: {} }

const welcome: JsonObject = {
  name: 'Welcome',
  tags: [],
  brand: null,
  subscription: null,
  routing: { method: 'single', channels: ['email', 'sms', 'push', 'direct_message', 'inbox'] },
  settings: {},
  content: {
    version: '2022-01-01',
    elements: [
      { type: 'meta', title: 'Welcome, {name}' },
      { type: 'text', content: 'Hello **{name}**, it is good to have you here.' },
      { type: 'text', content: 'This message was decided, rendered, delivered and recorded by Postrider.' },
    ],
  },
}

function keyRow(key: string, now: number): NewKey {
  const { workspaceId, kind } = keyScope(key)
  return {
    id: recordId(),
    workspaceId,
    kind,
    role: 'full',
    name: 'first key',
    hash: hashKey(key),
    hint: key.slice(-4),
    created: now,
    expires: null,
  }
}
