/** Findings beyond a limit are left out, and none of their codes. */
import type { FindingCode } from '@postrider/contract'
import { expect, test } from 'vitest'
import { codesOf, type Finding, shortened } from './finding.ts'

const findings = (code: FindingCode, count: number): Finding[] =>
  Array.from({ length: count }, (_, n) => ({ code, text: `${code} ${n}` }))

test('a short list stays as it is', () => {
  const short = findings('field_ignored', 3)
  expect(shortened(short, 3)).toBe(short)
})

test('beyond the limit the first of each other code is kept', () => {
  const kept = shortened([...findings('field_ignored', 9), ...findings('time_zone_unknown', 2)], 3)
  expect(kept.map(({ text }) => text)).toEqual([
    ...['field_ignored 0', 'field_ignored 1', 'field_ignored 2'],
    'time_zone_unknown 0',
  ])
  expect(codesOf(kept)).toEqual(['field_ignored', 'time_zone_unknown'])
})
