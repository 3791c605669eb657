/** One fault in a valid value: a wrong type, a lost field, too much of something, text that no database likes. */
import fc from 'fast-check'

/** The replacement of a value; `undefined` takes the field away. */
export type Fault = (value: unknown) => fc.Arbitrary<unknown>

interface Spot {
  value: unknown
  /** The JSON text of the whole, with another value here; undefined drops the field. */
  with(value: unknown): string
}

// Enough to choose from; values from the schemas have far fewer.
const SPOTS_MAX = 500

/** The JSON text of the value with the fault at one place. */
export const faultAtOnePlace = (whole: unknown, fault: Fault): fc.Arbitrary<string | Uint8Array> =>
  fc
    .constantFrom(...spotsOf(whole))
    .chain((spot) => fault(spot.value).map((value) => spot.with(value)))
    .map(raw)

function spotsOf(whole: unknown): Spot[] {
  const spots: Spot[] = []
  const walk = (value: unknown, place: (string | number)[]) => {
    if (spots.length >= SPOTS_MAX) return
    spots.push({ value, with: (other) => JSON.stringify(replaced(whole, place, other)) ?? '' })
    if (typeof value !== 'object' || value === null) return
    for (const [name, child] of Object.entries(value))
      walk(child, [...place, Array.isArray(value) ? Number(name) : name])
  }
  walk(whole, [])
  return spots
}

function replaced(value: unknown, [name, ...rest]: (string | number)[], other: unknown): unknown {
  if (name === undefined) return other
  if (Array.isArray(value)) return value.map((item, index) => (index === name ? replaced(item, rest, other) : item))
  return Object.fromEntries(
    Object.entries(value as object).map(([key, item]) => [key, key === name ? replaced(item, rest, other) : item]),
  )
}

export const mistyped: Fault = () =>
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, '', 'text', [], [[]], {}, { a: { b: [] } }, ['a', 1, null])

export const stripped: Fault = () => fc.constant(undefined)

/** Lengths beyond the usual bounds of ids, names, texts and documents. */
export const longText = fc
  .constantFrom(129, 257, 513, 1_025, 5_000, 70_000, 300_000)
  .map((length) => 'x'.repeat(length))

export const enlarged: Fault = (value) =>
  Array.isArray(value)
    ? fc.constantFrom(101, 1_001, 5_000).map((count) => Array(count).fill(value[0] ?? 'x'))
    : longText

/** Marks text that `JSON.stringify` cannot produce, and that is put in afterwards. */
const RAW = '\u27e8raw\u27e9'

const HOSTILE = [
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\ufffe\uffff',
  '\u202e\u2066abc',
  '\ufeff',
  '\u2028\u2029',
  'e\u0301'.repeat(50),
  'Z\u0351\u036b\u0343'.repeat(40),
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}',
  '\u{10ffff}',
  '\u0130\u0131\u1e9e\ufb01',
  '\\u0000',
  "'; drop table keys; --",
  '$1 %s {{{{ }} {% raw',
  '../../../etc/passwd',
  '__proto__',
  'constructor',
  '<script>alert(1)</script>',
  '\r\nx-injected: 1',
  RAW,
]

export const withHostileText = (value: unknown): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...HOSTILE), fc.boolean())
    .map(([bad, alone]) => (alone || typeof value !== 'string' ? bad : value + bad))

/** Bytes that are no UTF-8, and a key that only a parser sees. */
function raw(text: string): string | Uint8Array {
  if (!text.includes(RAW)) return text
  const at = text.indexOf(RAW)
  if (at % 2 === 0) return text.replaceAll(`"${RAW}"`, '{"__proto__":{"admin":true}}')
  return Buffer.concat([
    Buffer.from(text.slice(0, at)),
    Buffer.from([0xff, 0xc0]),
    Buffer.from(text.slice(at + RAW.length)),
  ])
}

// The large ones are rare: each costs some ten milliseconds.
export const deepened = (text: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(31, 40, 5_000).map((depth) => nested(text, depth)) },
    {
      weight: 8,
      arbitrary: fc.constantFrom(2_000).map((count) => `[${Array(count).fill(text.slice(0, 200)).join()}]`),
    },
    { weight: 8, arbitrary: fc.constantFrom(1_000, 20_000).map((count) => withKeys(text, count)) },
    { weight: 1, arbitrary: fc.constant(`{"a":"${'x'.repeat(6 * 1_048_576)}"}`) },
  )

const nested = (text: string, depth: number) =>
  text.startsWith('{') && text.length > 2
    ? `{"nested":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)},${text.slice(1)}`
    : '['.repeat(depth) + ']'.repeat(depth)

const withKeys = (text: string, count: number) =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":${n}`).join()}${text.startsWith('{"') ? `,${text.slice(1)}` : '}'}`
