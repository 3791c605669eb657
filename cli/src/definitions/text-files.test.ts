/** Promises of text files: joining what was split gives the document back, and texts stay in the files they are in. */
import { expect, test } from 'vitest'
import { fileText, joinTexts, splitTexts, textOfFile } from './text-files.ts'

const of = (...elements: object[]) => ({ name: 'x', content: { version: '2022-01-01', elements } })
const roundTrip = (document: object, layout?: Parameters<typeof splitTexts>[2]) => {
  const split = splitTexts({ ...document }, 'welcome', layout)
  const files = new Map(split.texts.map(({ file, text }) => [file, fileText(text)]))
  return { ...split, joined: joinTexts(split.document, (file) => textOfFile(files.get(file) ?? '')).document }
}

test('texts of several lines are split off and come back, wherever they stand', () => {
  const document = of(
    { type: 'text', content: 'one line' },
    { type: 'text', id: 'greeting', content: 'a\nb\n', locales: { de: { content: 'c\n\n' } } },
    { type: 'group', elements: [{ type: 'html', content: '<p>\n</p>' }] },
    { type: 'channel', channel: 'email', raw: { content: 'raw\nstays' } },
    { type: 'text', content: 'carriage\r\nreturns stay' },
  )
  const { texts, joined } = roundTrip(document)
  expect(texts.map(({ file }) => file)).toEqual([
    'welcome/greeting.md',
    'welcome/greeting.de.md',
    'welcome/html-2.0.html',
  ])
  expect(joined).toEqual(document)
})

test('a hostile id or locale names no file outside of the folder', () => {
  const { texts, joined } = roundTrip(
    of({ type: '../../x', id: '../../y', content: 'a\nb', locales: { '../z': { content: 'c\nd' } } }),
  )
  for (const { file } of texts) expect(file).toMatch(/^welcome\/[^/\\]+$/)
  expect(joined).toMatchObject({
    content: { elements: [{ content: 'a\nb', locales: { '../z': { content: 'c\nd' } } }] },
  })
})

test('a text keeps its file when its element moves, and two elements of one id have two files', () => {
  const layout = [{ place: 'elements.0.content', file: 'welcome/intro.md', text: 'a\nb' }]
  const moved = splitTexts(
    of({ type: 'text', content: 'new\nfirst' }, { type: 'text', content: 'a\nb' }),
    'welcome',
    layout,
  )
  expect(moved.texts.map(({ file }) => file).toSorted()).toEqual(['welcome/intro.md', 'welcome/text-0.md'].toSorted())
  const twice = splitTexts(
    of({ type: 'text', id: 'x', content: 'a\nb' }, { type: 'text', id: 'x', content: 'a\nb' }),
    'welcome',
  )
  expect(twice.texts.map(({ file }) => file)).toEqual(['welcome/x.md', 'welcome/x-2.md'])
})

test('line ends of another system are those of the text', () => {
  expect(textOfFile('a\r\nb\r\n')).toBe('a\nb')
})
