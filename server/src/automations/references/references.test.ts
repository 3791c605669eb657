/** Promises of references in texts: each is found once, and a hostile text is no work. */
import { expect, test } from 'vitest'
import { withinWork } from '../../base/processor-time.harness.ts'
import { ReferenceInvalid, referencesIn, withReferences } from './references.ts'

const sourcesIn = (text: string) => referencesIn(text).map(({ source }) => source)

test.each<[string, string[], string]>([
  ['none', [], 'none'],
  ['${data.a}', ['data.a'], '<data.a>'],
  ['a ${data.a}${data.b} c', ['data.a', 'data.b'], 'a <data.a><data.b> c'],
  ['\\${data.a} ${data.b}', ['data.b'], '${data.a} <data.b>'],
  ['${data.a}\\${data.b}', ['data.a'], '<data.a>${data.b}'],
  ['\\${data.a}\\${data.b}', [], '${data.a}${data.b}'],
  ['costs \\${5', [], 'costs \\${5'],
  ['$ {a} } $${data.a}', ['data.a'], '$ {a} } $<data.a>'],
])('%j refers to %j', (text, sources, filled) => {
  expect(sourcesIn(text)).toEqual(sources)
  expect(withReferences(text, (source) => `<${source}>`)).toBe(filled)
})

test('an error quotes the text before a reference as it was written', () => {
  const before: string[] = []
  withReferences('a/${data.a}/\\${b}/${data.c}', (_source, text) => String(before.push(text)))
  expect(before).toEqual(['a/', 'a/${data.a}/\\${b}/'])
})

test.each(['${', 'a ${b', '${data.a} ${', '\\${a} ${'])('%j is not closed', (text) => {
  expect(() => referencesIn(text)).toThrow(ReferenceInvalid)
})

test.each(['${', '\\${', '\\${}', '$', '}', '${data.a}', '${data.a} ${'])(
  '250 kB of %j are read in time that grows with their length',
  async (attack) => {
    const text = attack.repeat(Math.ceil(250_000 / attack.length))
    const read = () => {
      withReferences(text, () => '')
      try {
        referencesIn(text)
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
    }
    // A search through the rest of the text for each of them would take seconds.
    await withinWork(500, read)
  },
)
