/** Warnings of a call fit into a header, whatever they say. */
import { expect, test } from 'vitest'
import { handling, handlingWarnings, refuseWarnings, warn, warningsJson } from './warnings.ts'

test('a list of JSON in ASCII, each sentence once', () => {
  const sentence = 'Unknown field `größe\u0085\u007f😀`.'
  const header = warningsJson([sentence, 'Another.', sentence])
  expect(header).toMatch(/^[\x20-\x7e]+$/)
  expect(JSON.parse(header)).toEqual([sentence, 'Another.'])
})

test('ten at most, and a last one that counts the others', () => {
  const sentences = (count: number) => Array.from({ length: count }, (_, n) => `Warning ${n}.`)
  expect(JSON.parse(warningsJson(sentences(10)))).toEqual(sentences(10))
  expect(JSON.parse(warningsJson(sentences(11)))).toEqual([...sentences(10), 'There is 1 more warning.'])
  expect(JSON.parse(warningsJson(sentences(50)))).toEqual([...sentences(10), 'There are 40 more warnings.'])
})

test('2,000 bytes at most, cut at whole sentences', () => {
  const sentences = Array.from({ length: 9 }, (_, n) => `${n} ${'é'.repeat(60)}.`)
  const header = warningsJson(sentences)
  expect(header.length).toBeLessThanOrEqual(2_000)
  expect(JSON.parse(header)).toEqual([...sentences.slice(0, 5), 'There are 4 more warnings.'])
  expect(JSON.parse(warningsJson(['x'.repeat(3_000)]))).toEqual(['There is 1 more warning.'])
})

test('a strict call is refused for all of them, a liberal one for none', () => {
  const call: { strict: boolean; warnings?: string[] } = { strict: true }
  refuseWarnings(call)
  warn(call)
  expect(call).toEqual({ strict: true })
  warn(call, 'One.')
  warn(call, 'Two.', 'Three.')
  expect(() => refuseWarnings(call)).toThrow('One. Two. Three.')
  refuseWarnings({ ...call, strict: false })
})

test.each([
  ['handling=strict', 'strict'],
  ['respond-async, handling="strict"; wait=5', 'strict'],
  ['Handling=Lenient', 'lenient'],
  ['handling=strictest', undefined],
  ['mishandling=strict', undefined],
  [undefined, undefined],
])('Prefer: %s is %s', (prefer, choice) => {
  expect(handling(prefer)).toBe(choice)
})

test.each([
  ['handling=stict', '`stict` has no effect. Did you mean `strict`?'],
  ['respond-async, handling="stric"; wait=5', '`stric` has no effect. Did you mean `strict`?'],
  ['handling=', '`` has no effect.'],
  ['handling=loose', '`loose` has no effect.'],
])('%s is neither handling', (prefer, end) =>
  expect(handlingWarnings(prefer)).toEqual([
    `The \`handling\` of \`Prefer\` must be one of \`strict\`, \`lenient\`; ${end}`,
  ]),
)

test.each(['handling=strict', 'handling=lenient', 'return=minimal', 'mishandling=stict', undefined])(
  '%s is no mistake',
  (prefer) => expect(handlingWarnings(prefer)).toEqual([]),
)
