/** The first line of the system's screen: nothing when everything works, the worst first when it is not. */
import type { System, SystemNode } from '@postrider/client'
import { expect, test } from 'vitest'
import { findingsOf, verdictTone } from './findings.ts'

const DAY = 24 * 60 * 60_000
const node: SystemNode = {
  id: 'n',
  version: '1',
  state: 'alive',
  role: 'all',
  started: 0,
  seen: 0,
  stopped: null,
  in_flight: 0,
  calls: 0,
  connections: { open: 1, idle: 1, waiting: 0 },
  memory_bytes: 1,
  event_loop_p99_ms: 0,
  started_messages: 0,
  p50_ms: null,
  p95_ms: null,
  abandoned: null,
}
const sound: System = {
  ...{ at: 0, version: '1', node: 'n', retention_days: 90, public_url: null },
  ...{ paused_since: null, paused_by: null, failures: [], nodes: [node] },
  lanes: [{ lane: 'transactional', waiting: 4, overdue: 1, oldest_ms: 300 }],
  queues: [{ queue: 'webhooks', overdue_ms: null }],
  traffic: [{ at: 0, accepted: 100, finished: 100, undelivered: 2 }],
  storage: { bytes: 1, oldest_week: null, oldest_message: null, backup: null, tables: [] },
  statements: { tracked: false, slowest: [], running: [] },
  migrations: { applied: 1, pending: [] },
  checks: [{ name: 'fsync', state: 'ok', detail: 'on' }],
  providers: [],
  dead_letters: { open: 0, recent: 0 },
}
const provider: NonNullable<System['providers']>[number] = {
  id: 'I',
  provider: 'smtp',
  title: 'Mail',
  enabled: true,
  circuit_breaker: 'closed',
  open_since: null,
  limited_until: null,
  calls: 50,
  working: 1,
  p95_ms: 9,
  last_error: null,
}
const living = { ...node, seen: DAY }
const lastError = { at: 0, error: '500 No' }
/** A database that was backed up then, with a message so old. */
const storageWith = (backup: NonNullable<System['storage']>['backup'], age?: number): Partial<System> => ({
  ...{ at: 2 * DAY, nodes: null },
  storage: {
    bytes: 1,
    oldest_week: null,
    oldest_message: age === undefined ? null : 2 * DAY - age,
    backup,
    tables: [],
  },
})
const kinds = (changes: Partial<System>) =>
  findingsOf({ ...sound, ...changes }).map(({ kind, tone }) => `${tone} ${kind}`)

test('a sound system has no findings', () => expect(kinds({})).toEqual([]))

test.each<[string, Partial<System>, string[]]>([
  ['a part that failed', { nodes: null, failures: [{ part: 'nodes', message: 'slow' }] }, ['bad part']],
  [
    'a pause, whose messages wait',
    { paused_since: 1, lanes: [{ lane: 'bulk', waiting: 0, overdue: 9, oldest_ms: 9e9 }] },
    ['warn paused'],
  ],
  ['only a node for calls', { nodes: [{ ...node, role: 'api' }] }, ['bad no-worker']],
  ['a node that missed one write', { at: 24_999 }, []],
  ['a node that missed two writes', { at: 25_000 }, ['warn silent-node']],
  ['a node that died', { nodes: [node, { ...node, state: 'dead' }] }, ['warn dead-node']],
  [
    'a node that died within the hour, whose messages were taken over',
    { at: 59 * 60_000, nodes: [living, { ...node, state: 'dead', abandoned: 0 }] },
    ['warn dead-node'],
  ],
  [
    'a node that died an hour ago, whose messages were taken over',
    { at: 60 * 60_000, nodes: [living, { ...node, state: 'dead', abandoned: 0 }] },
    [],
  ],
  [
    'a node that died long ago and left messages, or as many as cannot be counted',
    {
      at: 300 * 60_000,
      nodes: [living, { ...node, state: 'dead', abandoned: 3 }, { ...node, state: 'dead', abandoned: null }],
    },
    ['warn dead-node', 'warn dead-node'],
  ],
  [
    'statements without a connection',
    { nodes: [{ ...node, connections: { open: 9, idle: 0, waiting: 4 } }] },
    ['warn connections'],
  ],
  [
    'a late transactional message',
    { lanes: [{ lane: 'transactional', waiting: 0, overdue: 1, oldest_ms: 60_000 }] },
    ['bad late-lane'],
  ],
  ['a bulk message of the same age', { lanes: [{ lane: 'bulk', waiting: 0, overdue: 1, oldest_ms: 60_000 }] }, []],
  ['a late queue', { queues: [{ queue: 'webhooks', overdue_ms: 61_000 }] }, ['warn late-queue']],
  [
    'checks, the worst first',
    {
      checks: [
        { name: 'clock', state: 'warn', detail: '' },
        { name: 'fsync', state: 'fail', detail: '' },
      ],
    },
    ['bad check', 'warn check'],
  ],
  ['an open breaker', { providers: [{ ...provider, circuit_breaker: 'open' }] }, ['bad breaker']],
  [
    'an open breaker of an integration that is off',
    { providers: [{ ...provider, enabled: false, circuit_breaker: 'open' }] },
    [],
  ],
  ['a provider that fails', { providers: [{ ...provider, working: 0.5, last_error: lastError }] }, ['warn provider']],
  [
    'a dozen calls that all failed',
    { providers: [{ ...provider, calls: 12, working: 0, last_error: lastError }] },
    ['warn provider'],
  ],
  [
    'a provider that failed, and has answered since',
    { at: 11 * 60_000, nodes: null, providers: [{ ...provider, working: 0.5, last_error: lastError }] },
    [],
  ],
  ['a few calls that fail', { providers: [{ ...provider, calls: 3, working: 0.5, last_error: lastError }] }, []],
  ['a limit of the day that is used up', { providers: [{ ...provider, limited_until: 9 }] }, ['warn day-limit']],
  [
    'a limit of the day that is used up, of an integration that is off',
    { providers: [{ ...provider, enabled: false, limited_until: 9 }] },
    [],
  ],
  [
    'most messages undelivered',
    { traffic: [{ at: 0, accepted: 40, finished: 40, undelivered: 30 }] },
    ['bad undelivered'],
  ],
  [
    'a dozen messages, all undelivered',
    { traffic: [{ at: 0, accepted: 12, finished: 12, undelivered: 12 }] },
    ['bad undelivered'],
  ],
  ['a few messages undelivered', { traffic: [{ at: 0, accepted: 4, finished: 4, undelivered: 4 }] }, []],
  ['new dead letters', { dead_letters: { open: 1, recent: 1 } }, ['warn dead-letters']],
  ['dead letters that wait for a person', { dead_letters: { open: 3, recent: 0 } }, ['warn dead-letters']],
  ['a local database without a backup, whose messages are new', storageWith({ last: null }, DAY), []],
  ['a local database without a backup', storageWith({ last: null }, DAY + 1), ['warn backup']],
  ['a local database without a backup or a message', storageWith({ last: null }), []],
  ['a local database with a backup', storageWith({ last: 9 }, DAY + 1), []],
  ['a database server', storageWith(null, DAY + 1), []],
  [
    'a long statement',
    { statements: { tracked: false, slowest: [], running: [{ text: '', ms: 31_000, waits_for: null }] } },
    ['warn statement'],
  ],
])('%s', (_title, changes, expected) => expect(kinds(changes)).toEqual(expected))

test('a state that could not be read again is neither good nor bad', () => {
  const bad = findingsOf({ ...sound, nodes: [] })
  expect([verdictTone([], false), verdictTone(bad, false)]).toEqual(['good', 'bad'])
  expect([verdictTone([], true), verdictTone(bad, true)]).toEqual(['unknown', 'unknown'])
})
