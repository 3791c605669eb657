/** The columns of a list have titles in words. */
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
