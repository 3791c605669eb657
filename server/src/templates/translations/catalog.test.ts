/** Catalogs are read as gettext reads them; the locale chain and plural forms lead to one text. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withinWork } from '../../base/processor-time.harness.ts'
import { localeChain, readCatalog, translate } from './catalog.ts'
import { readPo } from './po.ts'

const catalog = (locale: string, text: string) => readCatalog(locale, text)
const header = (forms: string) => `msgid ""\nmsgstr ""\n"Language: x\\n"\n"Plural-Forms: ${forms}\\n"\n\n`

describe('a catalog', () => {
  test('has strings over several lines, escapes, contexts and comments', () => {
    const { entries, problems } = readPo(
      '\uFEFF# translator\n#. for the button\n#: mail.hbs:3\nmsgctxt "menu"\r\nmsgid "Open"\r\nmsgstr "Öffnen"\r\n\n' +
        'msgid ""\n"Hello {name}\\n"\n"and \\"you\\"\\t\\\\"\nmsgstr ""\n"Hallo {name}\\n"\n"und \\"du\\"\\t\\\\"\n\n' +
        '#~ msgid "old"\n#~ msgstr "alt"\n',
    )
    expect(problems).toEqual([])
    expect(entries).toMatchObject([
      { context: 'menu', message: 'Open', texts: ['Öffnen'] },
      { context: '', message: 'Hello {name}\nand "you"\t\\', texts: ['Hallo {name}\nund "du"\t\\'] },
    ])
  })

  test('leaves out what is fuzzy or not translated, and goes on after it', () => {
    const { texts } = catalog(
      'de',
      '#, fuzzy, c-format\nmsgid "a"\nmsgstr "A"\n\nmsgid "b"\nmsgstr ""\n\nmsgid "c"\nmsgstr "C"\nmsgid "d"\nmsgstr "D"\n',
    )
    expect([...texts.keys()]).toEqual(['c', 'd'])
  })

  test.each([
    ['msgid Hello\nmsgstr "x"\n', /^line 1: `msgid Hello` is neither/],
    ['msgid "a"\n', /^line 1: `a` has no `msgstr`/],
    ['msgstr "a"\n', /^line 1: an entry without `msgid`/],
    ['"a"\n', /^line 1: a string without a keyword/],
    ['msgid "a"b"\nmsgstr "x"\n', /^line 1: .*is neither/],
  ])('names the line of %j', (text, problem) => {
    expect(catalog('de', text).problems[0]).toMatch(problem)
  })

  test('uses the rule of the language where its header has none that can be read, and says so', () => {
    const { problems, warnings } = catalog('de', header('nplurals=2; plural=process.exit()'))
    expect([problems, warnings]).toEqual([[], [expect.stringMatching(/^the header `Plural-Forms` must be like/)]])
  })

  test('is read, whatever its characters, in time with its length', async () => {
    const words = fc.constantFrom('msgid ', 'msgstr ', 'msgstr[1] ', '"a', '"', '\\', '\n', '# fuzzy', '#, fuzzy', 'é')
    const text = fc.array(words, { maxLength: 60 }).map((parts) => parts.join(''))
    fc.assert(fc.property(text, (each) => readPo(each).entries.every(({ texts }) => texts.length > 0)))
    await withinWork(1_000, () => {
      readPo('msgid "a"\n'.concat('msgstr "b"\n'.repeat(90_000)))
      readPo(`msgid "${'\\"'.repeat(20_000)}\nmsgstr "${'\\'.repeat(40_000)}`)
    })
  })
})

describe('a text', () => {
  const austrian = catalog('de-AT', 'msgid "Tomato"\nmsgstr "Paradeiser"\n')
  const german = catalog('de', 'msgid "Tomato"\nmsgstr "Tomate"\n\nmsgid "Potato"\nmsgstr "Kartoffel"\n')
  const all = catalog('default', 'msgid "Bread"\nmsgstr "Bread!"\n')

  test('is looked for in the chain of its locale', () => {
    expect(localeChain(['de', 'de_AT', 'default', 'en'], 'de-at')).toEqual(['de_AT', 'de', 'default'])
    expect(localeChain(['de', 'en'], 'fr')).toEqual([])
    expect(localeChain(['de', 'default'], undefined)).toEqual(['default'])
    const chain = [austrian, german, all]
    expect(['Tomato', 'Potato', 'Bread', 'Milk'].map((message) => translate(chain, { message }))).toEqual([
      'Paradeiser',
      'Kartoffel',
      'Bread!',
      undefined,
    ])
  })

  test('has the plural form of the header, for every number', () => {
    const forms =
      'nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);'
    const entry = 'msgid "one file"\nmsgid_plural "files"\nmsgstr[0] "plik"\nmsgstr[1] "pliki"\nmsgstr[2] "plików"\n'
    const polish = catalog('pl', header(forms) + entry)
    const at = (count: number) => translate([polish], { message: 'one file', plural: 'files', count })
    expect([1, 2, 5, 11, 12, 21, 22, 112, 0].map(at)).toEqual([
      ...['plik', 'pliki', 'plików', 'plików', 'plików', 'plik', 'pliki', 'plików', 'plików'],
    ])
  })

  test('has the plural form of its language where the header has no rule', () => {
    const entry =
      'msgid "f"\nmsgid_plural "fs"\nmsgstr[0] "one"\nmsgstr[1] "few"\nmsgstr[2] "many"\nmsgstr[3] "other"\n'
    const polish = catalog('pl', entry)
    expect([1, 3, 5, 1.5].map((count) => translate([polish], { message: 'f', plural: 'fs', count }))).toEqual([
      ...['one', 'few', 'many', 'other'],
    ])
    const german = catalog('de', 'msgid "f"\nmsgid_plural "fs"\nmsgstr[0] "one"\nmsgstr[1] "other"\n')
    expect([0, 1, 2].map((count) => translate([german], { message: 'f', plural: 'fs', count }))).toEqual([
      ...['other', 'one', 'other'],
    ])
  })

  test('belongs to its context', () => {
    const both = catalog('de', 'msgctxt "verb"\nmsgid "Open"\nmsgstr "Öffnen"\n\nmsgid "Open"\nmsgstr "Offen"\n')
    expect(translate([both], { message: 'Open', context: 'verb' })).toBe('Öffnen')
    expect(translate([both], { message: 'Open' })).toBe('Offen')
  })
})
