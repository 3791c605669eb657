/** The history of a message names what happened and why, each event on one line. */
import type { HistoryEvent } from '@postrider/client'
import { expect, test } from 'vitest'
import { detailOf } from './history-detail.ts'

const ts = Date.UTC(2026, 10, 23, 12)
const until = Date.UTC(2026, 10, 24, 12)
const via = { ts, channel: { id: 'email' }, integration: { id: 'I1', provider: 'smtp' } }
const url = 'https://example.com/offer'

test.each<[HistoryEvent, string]>([
  [{ type: 'CLICKED', ...via, url }, `email · smtp · Mail · ${url}`],
  [
    { type: 'CLICKED', ...via, url, automated: true, automated_reason: 'scanner' },
    `email · smtp · Mail · automated: scanner · ${url}`,
  ],
  [{ type: 'OPENED', ...via, automated: true }, 'email · smtp · Mail · automated'],
  [{ type: 'OPENED', ...via }, 'email · smtp · Mail'],
  [{ type: 'DEFERRED', ...via, error_message: '451 greylisted' }, 'email · smtp · Mail · 451 greylisted'],
  [
    { type: 'HELD', ts, until, reason: 'PROVIDER_ERROR', error_message: '535 no' },
    'PROVIDER_ERROR · 535 no · fails at the latest 2026-11-24 12:00:00.000Z',
  ],
  [{ type: 'RELEASED', ts, cause: 'call' }, 'by a call'],
  [{ type: 'RELEASED', ts, cause: 'dead_letter', source: 'key/ops' }, 'its dead letter was released by the key ops'],
  [
    {
      ...{ type: 'DELIVERING', ...via, attempt: 1, held_back: 'circuit_breaker' },
      ...{ error: 'Circuit breaker open: 535 No', next_attempt_at: until },
    },
    'email · smtp · Mail · attempt 1 · not called, because its latest calls failed: 535 No · next 2026-11-24 12:00:00.000Z',
  ],
  [{ type: 'RELEASED', ts, cause: 'settings' }, 'such messages are no longer held'],
  [{ type: 'RELEASED', ts, cause: 'repair', integration_id: 'I1' }, 'Mail was added or changed, or works again'],
])('%o', (event, detail) => {
  expect(detailOf(event, new Map([['I1', 'Mail']]))).toBe(detail)
})
