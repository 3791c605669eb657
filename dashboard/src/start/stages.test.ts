/** Stations follow from the history, each with its time. */
import type { HistoryEvent } from '@postrider/client'
import { expect, test } from 'vitest'
import { litStations, stationsOf } from './stages.ts'

const via = { channel: { id: 'email' }, integration: { id: 'I', provider: 'mailbox' } } as const
const events: HistoryEvent[] = [
  { type: 'ENQUEUED', ts: 1, event: 'welcome', recipient: 'r', data: {}, profile: {}, override: {} },
  { type: 'PROFILE_LOADED', ts: 4, received_profile: {}, stored_profile: {}, merged_profile: {} },
  { type: 'RENDERED', ts: 9, ...via, output: { html: '', title: '', body: '', subject: '', text: '', blocks: '' } },
  { type: 'SENT', ts: 9, ...via },
  { type: 'DELIVERED', ts: 12, ...via },
]
const reached = (count: number, isOnItsWay: boolean) =>
  stationsOf(events.slice(0, count), isOnItsWay).map(({ at, toNext, isNext }) => [at, toNext, isNext])

test('all stations have their times, and the times between them', () => {
  expect(reached(5, false)).toEqual([
    [1, 3, false],
    [4, 5, false],
    [9, 0, false],
    [9, 3, false],
    [12, undefined, false],
  ])
})

test('a message on its way has a next station; one that has ended has none', () => {
  expect(reached(2, true)[2]).toEqual([undefined, undefined, true])
  expect(reached(2, true).filter(([, , isNext]) => isNext)).toHaveLength(1)
  expect(reached(2, false).filter(([, , isNext]) => isNext)).toEqual([])
})

test('before a message none is reached, and none is next', () => {
  expect(reached(0, false).flat().filter(Boolean)).toEqual([])
})

test('stations light up in the order of their times, and the next one is in progress until then', () => {
  const all = stationsOf(events, false)
  const shown = (count: number) => litStations(all, count).map(({ at, toNext, isNext }) => [at, toNext, isNext])
  expect(shown(0)).toEqual([[undefined, undefined, true], ...Array(4).fill([undefined, undefined, false])])
  expect(shown(2)).toEqual([
    [1, 3, false],
    [4, undefined, false],
    [undefined, undefined, true],
    [undefined, undefined, false],
    [undefined, undefined, false],
  ])
  expect(litStations(all, 5)).toEqual(all)
  const late = stationsOf([...events.slice(0, 3), { type: 'SENT', ts: 20, ...via }, ...events.slice(4)], false)
  expect(litStations(late, 4).map(({ at }) => at)).toEqual([1, 4, 9, undefined, 12])
})
