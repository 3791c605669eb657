/** Reading a body costs little whatever it holds. */
import { bodyBytesMax, bodyMembersMax, bodyValuesMax } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { withinWork } from '../base/processor-time.harness.ts'
import { readBody } from './input.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const COST_MAX_MS = 100

describe(`costs less than ${COST_MAX_MS} ms`, () => {
  test.each([
    ['3,000,000 open lists', '['.repeat(3_000_000), {}],
    ['3,000,000 lists', `${'['.repeat(3_000_000)}${']'.repeat(3_000_000)}`, {}],
    ['1,000,000 open objects', '{"a":'.repeat(1_000_000), {}],
    ['2,000,000 empty lists', `[${'[],'.repeat(2_000_000)}1]`, {}],
    ['3,000,000 numbers', `[${'0,'.repeat(3_000_000)}0]`, {}],
    ['400,000 names', `{${Array.from({ length: 400_000 }, (_, n) => `"k${n}":1`).join()}}`, {}],
    ['3,000,000 escapes', `["${'\\n'.repeat(3_000_000)}"]`, {}],
    ['6,000,000 spaces', ' '.repeat(6_000_000), {}],
    ['a form of 6,000,000 plus signs', `${'+'.repeat(6_000_000)}=1`, FORM],
    ['a form of 3,000,000 words', `a=${'+a'.repeat(3_000_000)}`, FORM],
    ['a form of 2,000,000 brackets', `${'%5B'.repeat(2_000_000)}=1`, FORM],
    ['a form of 1,500,000 fields', 'a=1&'.repeat(1_500_000), FORM],
    ['a form that nests 2,000,000 times', `a${'[b]'.repeat(2_000_000)}=1`, FORM],
  ])('%s', async (_what, text, headers) => {
    const bytes = Buffer.from(text.slice(0, bodyBytesMax))
    await withinWork(COST_MAX_MS, () => {
      try {
        readBody(bytes, headers)
      } catch {}
    })
  })
})

test('brackets, commas and colons in strings count for nothing', () => {
  const value = { text: '[{,:'.repeat(500_000), quote: '\\"['.repeat(100) }
  expect(readBody(Buffer.from(JSON.stringify(value)), {})).toEqual(value)
})

test('as many values and members as are allowed are read, one more is refused', () => {
  const list = (count: number) => Buffer.from(`[${'0,'.repeat(count - 2)}0]`)
  const object = (count: number) => Buffer.from(`{${Array.from({ length: count }, (_, n) => `"${n}":0`).join()}}`)
  expect(readBody(list(bodyValuesMax), {})).toHaveLength(bodyValuesMax - 1)
  expect(() => readBody(list(bodyValuesMax + 1), {})).toThrow('The body holds more than 500000 values')
  expect(Object.keys(readBody(object(bodyMembersMax), {}) as object)).toHaveLength(bodyMembersMax)
  expect(() => readBody(object(bodyMembersMax + 1), {})).toThrow('The body holds more than 120000 members of objects')
})

test('a plus sign of a form is a space, an encoded one is itself, and brackets may be encoded', () => {
  expect(readBody(Buffer.from('a+b=%2B+é&c[d]=1&e%5bf%5D=2'), FORM)).toEqual({
    'a b': '+ é',
    c: { d: '1' },
    e: { f: '2' },
  })
})

test.each([
  ["{'event':'e'}", /position 1 .*\. JSON has double quotes around names and texts, not single ones$/],
  ["[ 'a']", /JSON has double quotes/],
  ['<send event="e">ada</send>', /^The body is not valid JSON: it begins with `<`, as XML and HTML do\. Send JSON, /],
  ['{"event":', /position 9 \(line 1, column 10\): it ends before it is complete$/],
  ['{"event" "e"}', /position 9 \(line 1, column 10\)$/],
])('a body that is no JSON: %s', (text, message) => {
  expect(() => readBody(Buffer.from(text), { 'content-type': 'application/xml' })).toThrow(message)
})
