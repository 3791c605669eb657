/** Texts of any characters for tests that draw them: fast-check's own `binary` takes two seconds, for a table of them all. */
import fc from 'fast-check'

const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))

/** Well-formed; `maxLength` counts characters. */
export const anyText = (maxLength?: number): fc.Arbitrary<string> =>
  fc.string({ unit: character, ...(maxLength !== undefined && { maxLength }) })
