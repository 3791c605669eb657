/** The exposition equals that of prom-client for the same counts and values. */
import { Counter, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { distribution, tally } from './metrics.ts'

const integrations = ['Our hook', 'a "quoted" one', 'Our hook']
const buckets = [0.001, 0.5, 2]
const values = [0, 0.001, 0.4, 0.6, 2, 2.1, 31]

test('counters and histograms by their labels, before anything was counted and after', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const counted = { name: 'calls_total', help: 'Calls.', labelNames: ['integration', 'outcome'] as const }
  const measured = { name: 'call_seconds', help: 'Time.', labelNames: ['integration'] as const, buckets }
  const plain = { name: 'all_seconds', help: 'Time of all.', labelNames: [], buckets }
  const figures = {
    ours: [
      tally({ ...counted, registers: [ours] }),
      distribution({ ...measured, registers: [ours] }),
      distribution({ ...plain, registers: [ours] }),
    ],
    theirs: [
      new Counter({ ...counted, registers: [theirs] }),
      new Histogram({ ...measured, registers: [theirs] }),
      new Histogram({ ...plain, registers: [theirs] }),
    ],
  } as const
  expect(await ours.metrics()).toBe(await theirs.metrics())
  for (const [calls, seconds, all] of [figures.ours, figures.theirs]) {
    for (const [at, integration] of integrations.entries()) {
      calls.inc({ integration, outcome: 'sent' })
      calls.inc({ integration, outcome: 'retry' }, at + 2)
      for (const value of values) seconds.observe({ integration }, value)
    }
    for (const value of values) all.observe({}, value)
  }
  const lines = async (registry: Registry) => (await registry.metrics()).split('\n').map(withSortedLabels)
  expect(await lines(ours)).toEqual(await lines(theirs))
  // Read twice, it is not counted twice.
  expect(await lines(ours)).toEqual(await lines(theirs))
})

const withSortedLabels = (line: string) =>
  line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`)
