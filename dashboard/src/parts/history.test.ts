/** Undo and redo of an edited value. */
import { expect, test } from 'vitest'
import { newHistory, recordChange, redo, undo } from './history.ts'

test('changes are undone and done again, and a new one ends what could be done again', () => {
  const history = recordChange(recordChange(newHistory('a'), 'b'), 'c')
  const back = undo(history)
  expect(back?.present).toBe('b')
  expect(back && redo(back)?.present).toBe('c')
  const other = back && recordChange(back, 'd')
  expect(other && redo(other)).toBeUndefined()
  expect(undo(newHistory('a'))).toBeUndefined()
})

test('typing in one field is one step, until a pause or another field', () => {
  let history = newHistory('')
  history = recordChange(history, 'h', 'text', 0)
  history = recordChange(history, 'he', 'text', 400)
  history = recordChange(history, 'hey', 'text', 2_000)
  history = recordChange(history, 'hey!', 'title', 2_100)
  expect(history.past).toEqual(['', 'he', 'hey'])
  expect(undo(history)?.present).toBe('hey')
})

test('a change to the same state is none', () => {
  const history = newHistory('a')
  expect(recordChange(history, 'a')).toBe(history)
})
