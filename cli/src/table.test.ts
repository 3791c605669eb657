/** Columns line up, whatever the cells hold. */
import { expect, test } from 'vitest'
import { sheet, table, width } from './table.ts'

test('columns begin below each other, also after wide and combined characters', () => {
  const text = table(
    [{ title: 'WHO' }, { title: 'WHAT' }],
    [
      ['ada', 'x'],
      ['日本', 'x'],
      ['Zoe\u0308', 'x'],
      ['👋', 'x'],
    ],
  )
  const [head = '', ...lines] = text.split('\n')
  const place = width(head.slice(0, head.indexOf('WHAT')))
  expect(lines.map((line) => width(line.slice(0, line.indexOf('x'))))).toEqual([place, place, place, place])
})

test('a cell stays on its line and within its bound', () => {
  const text = table([{ title: 'NAME', charactersMax: 5 }, { title: 'B' }], [['a\nb\x1b[2Jcdefgh', 1]])
  expect(text).toBe('NAME   B\na bc…  1')
})

test('a style does not move what follows', () => {
  const style = (text: string) => `<${text}>`
  expect(table([{ title: 'A', style }, { title: 'B' }], [['x', 'y']])).toBe('A  B\n<x>  y')
})

test('a sheet leaves out what is not there', () => {
  expect(
    sheet([
      ['recipient', 'user-7'],
      ['sent', undefined],
      ['error', ''],
    ]),
  ).toBe('recipient  user-7')
})
