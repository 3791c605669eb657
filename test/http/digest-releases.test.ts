/** A release before its time touches what waits for one, and nothing else. */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'
import { addDigestEvent } from '../support/rows.ts'

withApp((open) => {
  let api: RecordingApp
  let topics: string
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
    const { id } = (await api.call('POST', '/preferences/sections', { body: { name: 'Activity' } })).json
    topics = `/preferences/sections/${id}/topics`
  })

  const daily = { frequency: 'daily', time: '08:00' }
  const body = { name: 'T', default_status: 'OPTED_IN', digest: { template_id: 'summary', schedules: [daily] } }
  const keep = async (topicId: string, recipient: string) => {
    const event = { id: `1-${recipient}`, workspaceId: 1, mode: 'live' as const, topicId, recipient, data: { n: 1 } }
    await addDigestEvent(api.engine, event, api.time.now)
  }

  test('only what is open, due later and of the workspace is released before its time', async () => {
    const { id, digest } = (await api.call('POST', topics, { body })).json
    const { schedule_id } = digest.schedules[0]
    const [now, later, past] = [api.time.now, Date.parse('2026-01-06T08:00:00.000Z'), api.time.now - 60_000]
    for (const user of ['open', 'closed', 'overdue']) await keep(id, user)
    const run = (text: string, values: unknown[]) => api.engine.run<Row>({ text, values })
    type Row = { workspace_id: number; recipient: string; due_at: number }
    // As a worker holds it until its lease ends.
    await run('update digests set is_open = false where topic_id = $1 and recipient = $2', [id, 'closed'])
    await run('update digests set due_at = $3 where topic_id = $1 and recipient = $2', [id, 'overdue', past])
    await run(
      `insert into digests (id, workspace_id, mode, topic_id, recipient, tenant_id, schedule_id, terms, events, counts,
          opened, is_open, due_at)
        select id || 'x', 2, mode, topic_id, recipient, tenant_id, schedule_id, terms, events, counts, opened, is_open, due_at
        from digests where topic_id = $1 and recipient = 'open'`,
      [id],
    )
    const dues = async () => {
      const result = await run(
        'select workspace_id, recipient, due_at from digests where topic_id = $1 order by 1, 2',
        [id],
      )
      return result.rows.map(({ workspace_id, recipient, due_at }) => [workspace_id, recipient, due_at])
    }
    const left = [
      [1, 'closed', later],
      [1, 'open', now],
      [1, 'overdue', past],
      [2, 'open', later],
    ]
    expect((await api.call('POST', `/digests/schedules/${schedule_id}/trigger`)).status).toBe(204)
    expect(await dues()).toEqual(left)
    await run('update digests set due_at = $2 where topic_id = $1 and recipient = $3', [id, later, 'open'])
    for (const user_id of ['open', 'closed', 'overdue'])
      await api.call('POST', `${topics}/${id}/digest/release`, { body: { user_id } })
    expect(await dues()).toEqual(left)
  })
})
