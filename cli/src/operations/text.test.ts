/** The columns of a list: titles in words, long texts cut, ids whole. */
import { expect, test } from 'vitest'
import { terminal } from '../terminal.ts'
import { rowsText } from './text.ts'

test.each([
  ['requestId', 'REQUEST ID'],
  ['notBefore', 'NOT BEFORE'],
  ['run_id', 'RUN ID'],
  ['actor.id', 'ACTOR ID'],
  ['kind', 'KIND'],
])('the column of `%s` has the title %s', (column, title) => {
  expect(rowsText(terminal({ json: false, color: false }), [column], [])).toBe(title)
})

test('an id is never cut, because the next command needs it whole', () => {
  const id = '1-6b0dfd73-316000744b670f0aef9131eb-WP34CTBGFQPFZ4FFN5HFM8KKR70G'
  const text = rowsText(terminal({ json: false, color: false }), ['id', 'error'], [{ id, error: 'x'.repeat(80) }])
  expect(text.split('\n')[1]).toBe(`${id}  ${'x'.repeat(59)}…`)
})
