/** The next time of a schedule is written by one node, in one workspace. */
import {
  dueSchedules,
  schedulesMoved,
} from '@postrider/server/internal/database/tables/automations/automation-templates'
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  test('a schedule is moved on in its workspace only, and not when it was moved on before', async () => {
    api.time.now = Date.parse('2026-02-10T12:00:00Z')
    const steps = [{ action: 'send', template: 'welcome' }]
    const body = { name: 'Daily', triggers: [{ type: 'schedule', cron: '0 9 * * *' }], automation: { steps } }
    for (const apiKey of [keys.production, keys.test])
      expect((await api.call('PUT', '/automations/templates/daily', { body, apiKey })).status).toBe(200)
    const dues = async () =>
      (await dueSchedules(api.engine, Date.parse('2026-02-20T00:00:00Z'), 10)).toSorted(
        (left, right) => left.workspace_id - right.workspace_id,
      )
    const [mine, others] = await dues()
    const [at, next] = [Date.parse('2026-02-11T09:00:00Z'), Date.parse('2026-02-12T09:00:00Z')]
    expect([mine?.due_at, others?.due_at]).toEqual([at, at])
    await api.engine.batch([schedulesMoved([{ ...mine!, next }])])
    expect((await dues()).map(({ due_at }) => due_at)).toEqual([next, at])
    await api.engine.batch([schedulesMoved([{ ...mine!, next: next + 1 }])])
    expect((await dues()).map(({ due_at }) => due_at)).toEqual([next, at])
  })
})
