/** Outcomes wait while the database is away, and are written when it is back; the findings of all writes come together. */
import type { FindingCode } from '@postrider/contract'
import type { Log } from '@postrider/server/internal/base/log'
import { createMetrics } from '@postrider/server/internal/base/metrics'
import { DatabaseUnavailable, type Engine } from '@postrider/server/internal/database/engine'
import { makePartitions } from '@postrider/server/internal/database/partitions'
import { insertMessages, messageQueue } from '@postrider/server/internal/database/tables/messages/live-messages'
import { leasedMessage } from '@postrider/server/internal/messages/leased-message'
import { createRecorder } from '@postrider/server/internal/messages/record/record'
import { expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'

const now = 1_795_000_000_000
const until = now + 60_000
const ids = ['1-6afd7c08-00000000000000000000000a', '1-6afd7c08-00000000000000000000000b']
const noChanges = { snapshot: undefined, deliveries: [], events: [] }

async function claimedMessages(engine: Engine) {
  await makePartitions(engine, now)
  await insertMessages(
    engine,
    ids.map((id) => ({
      ...{ id, workspace_id: 1, lane: 0, due_at: now, lease: null, claims: 0, status: 'ENQUEUED', event: 'e' },
      ...{ recipient: 'r', mode: 'live', enqueued: now, first_due: now, input: '{}' },
    })),
    now,
  )
  const claimed = await messageQueue.claim(engine, { now, until, lease: 'L', shares: [2, 1, 1] })
  return claimed.map((message) => leasedMessage({ message }, { until, signal: new AbortController().signal }))
}

function recorderOf(engine: Engine) {
  const lines: string[] = []
  const write: Log['warn'] = ({ event }) => void lines.push(event)
  const log = { debug: write, info: write, warn: write, error: write } as unknown as Log
  const recorder = createRecorder({
    ...{ engine, log, webhookWorkspaces: async () => new Set<number>(), suppressed: () => undefined },
    ...{ metrics: createMetrics(), now: () => now },
  })
  return { recorder, lines }
}

withEngine((open) => {
  test('outcomes of two outages are written, and the log has a line for each', async () => {
    const engine = await open()
    const claimed = await claimedMessages(engine)
    let failures = 0
    const unsteady: Engine = {
      ...engine,
      async batch(statements, options) {
        if (failures === 0) return engine.batch(statements, options)
        failures -= 1
        throw new DatabaseUnavailable('away', { reason: 'transient' })
      },
    }
    const { recorder, lines } = recorderOf(unsteady)
    for (const leased of claimed) {
      failures = 3
      const state = { status: 'CANCELED', dueAt: null, keepLease: false } as const
      expect(await recorder.record(leased, state, noChanges)).toBe(true)
      expect(failures).toBe(0)
    }
    expect(lines).toEqual(['messages.record_delayed', 'messages.record_delayed'])
    const { rows } = await engine.run({ text: 'select id, status from messages order by id', values: [] })
    expect(rows).toEqual(ids.map((id) => ({ id, status: 'CANCELED' })))
  })

  test('each finding is kept once, whichever write has it', async () => {
    const engine = await open()
    const [leased] = await claimedMessages(engine)
    const { recorder } = recorderOf(engine)
    const written = async (findings: FindingCode[] | undefined, isLast = false) => {
      const state = { status: isLast ? 'SENT' : 'ROUTED', dueAt: null, keepLease: !isLast } as const
      expect(await recorder.record(leased!, state, { ...noChanges, ...(findings && { findings }) })).toBe(true)
      const { rows } = await engine.run({ text: 'select findings from messages where id = $1', values: [ids[0]] })
      return rows[0]?.findings
    }
    expect(await written(undefined)).toBe(null)
    expect(await written(['variable_missing', 'mail_large'])).toEqual(['variable_missing', 'mail_large'])
    expect(await written(undefined)).toEqual(['variable_missing', 'mail_large'])
    expect(await written(['mail_large', 'links_empty'])).toEqual(['variable_missing', 'mail_large', 'links_empty'])
    expect(await written(['copies_refused'], true)).toEqual([
      ...['variable_missing', 'mail_large', 'links_empty', 'copies_refused'],
    ])
  })
})
