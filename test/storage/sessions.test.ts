/** Sessions and sign-in links in storage: those that have ended are removed, a slice at a time, and a revoked key starts none. */

import { sessionIdleMs } from '@postrider/contract'
import { ConflictError, type Engine } from '@postrider/server/internal/database/engine'
import {
  dropSessions,
  findSession,
  seenUpdate,
  sessionInsert,
} from '@postrider/server/internal/database/tables/workspace/sessions'
import {
  dropSignInLinks,
  findSignInLink,
  signInLinkInsert,
  signInLinkUse,
} from '@postrider/server/internal/database/tables/workspace/sign-in-links'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'

const DAY = 86_400_000
const now = Date.UTC(2026, 5, 17, 12)

withEngine((open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
    await engine.batch([
      { text: `insert into workspaces values (1, 'production') on conflict do nothing`, values: [] },
      {
        text: `insert into keys (id, workspace_id, kind, name, hash, hint, created, revoked)
          values ('LIVE', 1, 'published', 'live', 'a', '', 0, null), ('REVOKED', 1, 'published', 'revoked', 'b', '', 0, 1)`,
        values: [],
      },
    ])
  })
  beforeEach(async () => {
    await engine.run({ text: 'delete from sessions', values: [] })
  })

  const insert = (id: string, at: number, keyId = 'LIVE') =>
    engine.batch(sessionInsert({ id, keyId, workspaceId: 1, hash: `hash ${id}`, now: at }))
  const ids = async () =>
    (await engine.run<{ id: string }>({ text: 'select id from sessions order by id', values: [] })).rows.map(
      ({ id }) => id,
    )

  test('those that were not used for twelve hours are removed, and those in use stay', async () => {
    for (const id of ['A', 'B', 'C']) await insert(id, now - sessionIdleMs)
    await insert('NEW', now - sessionIdleMs + 1)
    await engine.run(seenUpdate('C', now))
    expect(await dropSessions(engine, now, 1)).toBe(1)
    expect(await dropSessions(engine, now, 10)).toBe(1)
    expect(await dropSessions(engine, now, 10)).toBe(0)
    expect(await ids()).toEqual(['C', 'NEW'])
  })

  test('sign-in links are removed a day after their end, and one is used once', async () => {
    const link = (hash: string, expires: number) =>
      engine.run(signInLinkInsert({ hash, workspaceId: 1, keyId: 'LIVE', expires }))
    for (const hash of ['a', 'b']) await link(hash, now - DAY)
    await link('ended', now)
    await link('good', now + 1)
    expect(await dropSignInLinks(engine, now, 1)).toBe(1)
    expect(await dropSignInLinks(engine, now, 10)).toBe(1)
    expect(await dropSignInLinks(engine, now, 10)).toBe(0)
    await expect(engine.batch([signInLinkUse('ended', now)])).rejects.toBeInstanceOf(ConflictError)
    const uses = await Promise.allSettled([1, 2].map(() => engine.batch([signInLinkUse('good', now)])))
    expect(uses.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await findSignInLink(engine, 'good')).toEqual({ workspaceId: 1, keyId: 'LIVE', expires: now + 1, used: now })
  })

  test('a key that was revoked meanwhile starts no session, and one that it had before is not found', async () => {
    await expect(insert('LATE', now, 'REVOKED')).rejects.toBeInstanceOf(ConflictError)
    expect(await ids()).toEqual([])
    await insert('EARLY', now)
    expect(await findSession(engine, 'hash EARLY', now)).toMatchObject({ id: 'EARLY', keyId: 'LIVE', role: 'full' })
    await engine.run({ text: `update sessions set key_id = 'REVOKED'`, values: [] })
    expect(await findSession(engine, 'hash EARLY', now)).toBeUndefined()
  })
})
