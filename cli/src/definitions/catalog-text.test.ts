/** A catalog is read in the charset that it names or refused; no letter is replaced by another one. */
import { expect, test } from 'vitest'
import { catalogText } from './catalog-text.ts'

const header = (charset: string) => `msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=${charset}\\n"\n\n`
const entry = 'msgid "Bye"\nmsgstr "Schöne Grüße"\n'

test('a catalog is read in the charset that it names, and names UTF-8 then', () => {
  const latin = Buffer.from(header('ISO-8859-1') + entry, 'latin1')
  expect(catalogText(latin)).toBe(header('UTF-8') + entry)
  const windows = Buffer.from(`${header('CP1252')}msgid "x"\nmsgstr "\x80 5 \x84so\x93"\n`, 'latin1')
  expect(catalogText(windows)).toBe(`${header('UTF-8')}msgid "x"\nmsgstr "€ 5 „so“"\n`)
  const japanese = Buffer.from(`${header('ISO-2022-JP')}msgid "x"\nmsgstr "\x1b$B$5$h\x1b(B"\n`, 'latin1')
  expect(catalogText(japanese)).toBe(`${header('UTF-8')}msgid "x"\nmsgstr "さよ"\n`)
  const cyrillic = Buffer.concat([Buffer.from(header('KOI8-R')), Buffer.from([0xf0, 0xcf, 0xcb, 0xc1])])
  expect(catalogText(cyrillic)).toBe(`${header('UTF-8')}Пока`)
})

test('a catalog of UTF-8 stays as it is, whatever it names', () => {
  for (const charset of ['UTF-8', 'CHARSET', 'ISO-8859-1'])
    expect(catalogText(Buffer.from(header(charset) + entry))).toBe(header(charset) + entry)
})

test.each(['ASCII', 'US-ASCII', 'us-ascii', 'ANSI_X3.4-1968', '646'])(
  'a catalog that names %s has no bytes beyond it',
  (charset) => {
    expect(() => catalogText(Buffer.from(header(charset) + entry, 'latin1'))).toThrow(
      `names the charset \`${charset}\``,
    )
    const plain = `${header(charset)}msgid "Bye"\nmsgstr "Hei"\n`
    expect(catalogText(Buffer.from(plain))).toBe(plain)
  },
)

test.each([
  ['no charset', entry],
  ['one that does not exist', header('CHARSET') + entry],
  ['another one', header('UTF-8') + entry],
])('a catalog in Latin-1 that names %s cannot be read', (_name, text) =>
  expect(catalogText(Buffer.from(text, 'latin1'))).toBeUndefined(),
)
