/** The summary explains failed deliveries where they stand beside sent ones. */
import type { MetricsSummary } from '@postrider/client'
import { expect, test } from 'vitest'
import type { Terminal } from '../../terminal.ts'
import { summaryText } from './metrics.ts'

const terminal = { style: (_style, shown) => shown } as Pick<Terminal, 'style'> as Terminal
const summary = { from: 0, to: 1, accepted: 64, finished: 64, waiting: 0, oldest: null, statuses: [], channels: [] }
const shown = (failed: number) => {
  const providers = [{ provider: 'smtp', channel: 'email', sent: 64, delivered: 0, failed }]
  return summaryText({ ...summary, providers } as unknown as MetricsSummary, terminal)
}

test('after a failover a sentence says that failed deliveries are not failed messages, nor calls', () => {
  expect(shown(64)).toMatch(/ 64 +0 +64\n\nFAILED counts deliveries, also where another integration sent the message/)
  expect(shown(0)).not.toContain('FAILED counts')
})
