/** Ids promise an order, a shape, and that the same child is never made twice. */
import { expect, test } from 'vitest'
import { childId, recordId, timedId, timedIdFloor, timedIdPattern } from './ids.ts'

const shape = new RegExp(timedIdPattern)
const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

test('a message id has the shape of the public API and carries its time', () => {
  const id = timedId(now)
  expect(id).toMatch(shape)
  expect(Number.parseInt(id.slice(2, 10), 16)).toBe(Math.floor(now / 1000))
  expect(Number.parseInt(id.slice(11, 14), 16)).toBe(678)
})

test('ids sort as they were made, within a millisecond and across a second', () => {
  const ids = [now, now, now, now + 1, now + 321, now + 322].map(timedId)
  expect([...ids].sort()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test('ten thousand ids of one millisecond are different', () => {
  expect(new Set(Array.from({ length: 10_000 }, () => timedId(now))).size).toBe(10_000)
})

test('the floor of a time lies between the ids before and after it', () => {
  expect(timedIdFloor(now) <= timedId(now)).toBe(true)
  expect(timedId(now - 1) < timedIdFloor(now)).toBe(true)
})

test('a child is the same whenever it is made, another recipient or secret is another child', () => {
  const secret = Buffer.alloc(32, 1)
  const parent = timedId(now)
  const child = childId(secret, parent, 'ada')
  expect(child).toMatch(shape)
  expect(child.slice(0, 14)).toBe(parent.slice(0, 14))
  expect(childId(secret, parent, 'ada')).toBe(child)
  expect(childId(secret, parent, 'bob')).not.toBe(child)
  expect(childId(Buffer.alloc(32, 2), parent, 'ada')).not.toBe(child)
})

test('a record id has 28 characters, none of them easy to confuse', () => {
  expect(recordId()).toMatch(/^[A-HJKMNP-TV-Z0-9]{28}$/)
})

test('the floor of a time after 2106 is above every id before it', () => {
  const last = timedIdFloor(Date.parse('9999-12-31T00:00:00Z'))
  expect(last > timedId(0xffffffff * 1_000 + 999).slice(0, 14)).toBe(true)
})
