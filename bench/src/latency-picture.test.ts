/** The picture is well-formed XML that has every run, and shows a stall where it was. */
import { load } from 'cheerio'
import { expect, test } from 'vitest'
import { latencyPicture } from './latency-picture.ts'

const PER_SECOND = 10
const steady = new Float64Array(30).fill(4)
const stalled = new Float64Array(30).fill(4)
stalled[15] = 1_543
const lost = new Float64Array(30).fill(4).fill(Number.NaN, 10, 20)

const picture = latencyPicture([
  { title: 'before & <after>', perSecond: PER_SECOND, accepts: stalled, receipts: steady },
  { title: 'now', perSecond: PER_SECOND, accepts: steady, receipts: lost },
])
const svg = load(picture, { xml: true })

const points = (chart: number, curve: 'max' | 'p99') => {
  const paths = svg('g').eq(chart).find('path[fill="none"]')
  const drawn = paths.eq(curve === 'max' ? 0 : 1).attr('d') ?? ''
  return [...drawn.matchAll(/([ML])([\d.]+) ([\d.]+)/g)].map(([, command, x, y]) => ({ command, x: +x!, y: +y! }))
}

test('each run has a column with both latencies, titled and escaped', () => {
  expect(svg('g')).toHaveLength(4)
  const texts = svg('g text')
    .toArray()
    .map((element) => svg(element).text())
  expect(texts).toContain('before & <after>')
  expect(texts).toContain('call → accepted; highest 1,543 ms')
  expect(texts).toContain('call → provider; highest 4 ms')
})

test('a stall is the highest point of its second, and the scale is the same for all', () => {
  const [first, second, third] = points(0, 'max')
  expect(second!.y).toBeLessThan(first!.y)
  expect(third!.y).toBe(first!.y)
  expect(points(1, 'max')[0]!.y).toBe(first!.y)
})

test('a second without an answer is a gap', () => {
  expect(points(3, 'p99').map(({ command }) => command)).toEqual(['M', 'M'])
})
