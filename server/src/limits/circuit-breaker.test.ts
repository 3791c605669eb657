/** A breaker opens when calls fail and not because of one message, waits longer after each bad probe, and closes after good ones. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  afterProbe,
  breakerState,
  type CallHealth,
  callsAtOnce,
  noResults,
  type OpenBreaker,
  opened,
  openedBy,
  probing,
  type Results,
  withResult,
} from './circuit-breaker.ts'

const SECOND = 1_000
const after = (...results: readonly CallHealth[]): Results =>
  results.reduce((before, result, at) => withResult(before, result, at), noResults(0))
const many = (count: number, result: CallHealth) => Array.from({ length: count }, () => result)

describe('opens', () => {
  test('when its credentials are refused once', () => {
    expect(openedBy(after('good', 'unauthorized'), 1)).toBe('authentication')
  })
  test('after five failures to connect in a row, and not after four', () => {
    expect(openedBy(after(...many(4, 'unreachable')), 1)).toBeUndefined()
    expect(openedBy(after(...many(5, 'unreachable')), 1)).toBe('connection')
    expect(openedBy(after(...many(4, 'unreachable'), 'good', 'unreachable'), 1)).toBeUndefined()
  })
  test('after its configuration was refused five times in a row: one may be due to its message', () => {
    expect(openedBy(after(...many(4, 'misconfigured')), 1)).toBeUndefined()
    expect(openedBy(after(...many(5, 'misconfigured')), 1)).toBe('configuration')
    expect(openedBy(after('misconfigured', 'good', ...many(4, 'misconfigured')), 1)).toBeUndefined()
  })
  test('when half of at least twenty calls within 30 seconds failed', () => {
    const half = Array.from({ length: 10 }, (): CallHealth[] => ['good', 'failed']).flat()
    expect(openedBy(after(...half.slice(0, 18)), 1)).toBeUndefined()
    expect(openedBy(after(...half), 1)).toBe('failures')
    expect(openedBy(after('good', ...half), 1)).toBeUndefined()
  })
  test('older calls do not count', () => {
    const half = after(...many(9, 'failed'), 'good', ...many(9, 'good'))
    expect(openedBy(withResult(half, 'failed', 14 * SECOND), 1)).toBe('failures')
    expect(openedBy(withResult(half, 'failed', 16 * SECOND), 1)).toBe('failures')
    expect(openedBy(withResult(half, 'failed', 31 * SECOND), 1)).toBeUndefined()
  })
  test('after twenty failures in a row, however many calls were good before; each node after its part of them', () => {
    const wasGood = many(1_000, 'good')
    expect(openedBy(after(...wasGood, ...many(19, 'failed')), 1)).toBeUndefined()
    expect(openedBy(after(...wasGood, ...many(20, 'failed')), 1)).toBe('failures')
    expect(openedBy(after(...wasGood, ...many(5, 'failed')), 3)).toBeUndefined()
    expect(openedBy(after(...wasGood, ...many(6, 'failed')), 3)).toBe('failures')
    expect(openedBy(after(...wasGood, ...many(5, 'failed')), 100)).toBe('failures')
  })
  test('never by good calls', () => {
    expect(openedBy(after(...many(19, 'failed'), ...many(5, 'good')), 1)).toBeUndefined()
  })
})

test('the calls in progress grow with good calls that use them up, and shrink when they are not needed', () => {
  let results = noResults(0)
  expect(callsAtOnce(results, 1)).toBe(20)
  for (let calls = 20; calls < 100; calls += 1) results = withResult(results, 'good', 0, calls)
  expect(callsAtOnce(results, 1)).toBe(100)
  for (let n = 0; n < 50; n += 1) results = withResult(results, 'good', 0, 30)
  expect(callsAtOnce(results, 1)).toBe(100)
  results = withResult(withResult(results, 'good', 16 * SECOND, 30), 'good', 32 * SECOND, 30)
  expect(callsAtOnce(results, 1)).toBe(30)
  expect(callsAtOnce(withResult(results, 'failed', 33 * SECOND, 30), 1)).toBe(19)
})

test('until a call was good, all nodes together make at most twenty', () => {
  const results = fc.array(fc.constantFrom<CallHealth>('good', 'failed', 'unreachable', 'misconfigured'))
  fc.assert(
    fc.property(results, fc.integer({ min: 1, max: 4 }), (seen, nodes) => {
      let counted = noResults(0)
      for (const result of seen) {
        counted = withResult(counted, result, 0)
        if (openedBy(counted, nodes)) return
        const calls = callsAtOnce(counted, nodes)
        expect((counted.failedInARow + calls) * nodes).toBeLessThanOrEqual(20)
        expect(calls).toBeGreaterThanOrEqual(1)
      }
    }),
  )
})

describe('open', () => {
  const breaker = opened('connection', 'connect: refused', 0, 0.5)
  const probe = (of: OpenBreaker, result: CallHealth | undefined, now: number) =>
    afterProbe(probing(of, now), { result, error: 'still down' }, now, 0.5)

  test('waits 10 s, twice as long after each bad probe, and 15 min at most', () => {
    const waits: number[] = []
    let now = 0
    for (let at: OpenBreaker = breaker, n = 0; n < 12; n += 1) {
      waits.push((at.probeAt - now) / SECOND)
      now = at.probeAt
      at = probe(at, 'failed', now) as OpenBreaker
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 640, 900, 900, 900, 900, 900])
    expect(opened('failures', '', 0, 0).probeAt).toBe(8_000)
    expect(opened('failures', '', 0, 1).probeAt).toBe(12_000)
  })
  test('closes after three good probes, which follow one another at once', () => {
    const first = probe(breaker, 'good', 10_000)
    expect(first).toMatchObject({ good: 1, probeAt: 10_000, probing: false })
    expect(breakerState(first as OpenBreaker, 10_000)).toBe('half_open')
    const second = probe(first as OpenBreaker, 'good', 10_100)
    expect(probe(second as OpenBreaker, 'good', 10_200)).toBeUndefined()
  })
  test('a bad probe takes the good ones back', () => {
    const second = probe(probe(breaker, 'good', 10_000) as OpenBreaker, 'failed', 10_100)
    expect(second).toMatchObject({ good: 0, waits: 2, probeAt: 30_100, error: 'still down' })
    expect(breakerState(second as OpenBreaker, 10_100)).toBe('open')
  })
  test('the rejection that opened it stays its error, until another rejection', () => {
    const refused = opened('authentication', '401 Unauthorized', 0, 0.5)
    expect(probe(refused, 'failed', 10_000)).toMatchObject({ waits: 2, error: '401 Unauthorized' })
    expect(probe(refused, 'unreachable', 10_000)).toMatchObject({ error: '401 Unauthorized' })
    expect(probe(refused, 'misconfigured', 10_000)).toMatchObject({ error: 'still down' })
    expect(probe(refused, 'unauthorized', 10_000)).toMatchObject({ error: 'still down' })
  })
  test('a probe that says nothing gives its turn to the next one', () => {
    expect(probe(breaker, undefined, 10_000)).toMatchObject({ waits: 1, probeAt: 11_000, error: 'connect: refused' })
  })
  test('a prober that dies is followed by another one', () => {
    const dead = probing(breaker, 10_000)
    expect(breakerState(dead, 10_000)).toBe('half_open')
    expect(dead.probeAt).toBe(55_000)
    expect(breakerState(dead, 55_000)).toBe('open')
  })
})
