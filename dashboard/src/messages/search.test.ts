/** Filters of the address are read strictly, and written for the API. */
import { expect, test } from 'vitest'
import { failures, statusGroups } from '../parts/status-groups.ts'
import {
  apiFilters,
  groupOf,
  type MessagesSearch,
  messagesSearch,
  searchOf,
  withConditions,
  withGroup,
} from './search.ts'

const typed = (text: string) => searchOf(text) as MessagesSearch

test('unknown, empty and malformed filters are dropped', () => {
  const search = { status: ['HELD', '', 7], recipient: 42, event: '', color: 'red', last: '3y', live: 'yes' }
  expect(messagesSearch(search)).toEqual({ status: ['HELD'], recipient: '42' })
  expect(messagesSearch({ status: 'SENT', last: '24h', live: true })).toEqual({
    ...{ status: ['SENT'], last: '24h', live: true },
  })
})

test('a preset is a time in full minutes, and the live tail is no filter', () => {
  const now = 1_710_334_643_123
  expect(apiFilters({ last: '1h', live: true, tag: ['orders'] }, now)).toEqual({
    tag: ['orders'],
    enqueued_after: String(1_710_330_960_000 + 60_000 * Math.floor((now - 3_600_000 - 1_710_330_960_000) / 60_000)),
  })
  expect(apiFilters({}, now)).toEqual({})
})

test('statuses are a group when they are all of it', () => {
  expect(groupOf({})).toBe('all')
  expect(groupOf({ ...failures, status: [...statusGroups.failed].reverse() })).toBe('failed')
  // With opt-outs they are another filter.
  expect(groupOf({ status: [...statusGroups.failed] })).toBeUndefined()
  expect(groupOf({ status: ['HELD'], except_reason: ['UNSUBSCRIBED'] })).toBeUndefined()
  expect(groupOf({ status: ['UNDELIVERABLE'] })).toBeUndefined()
})

test('messages that are retried are a group of their own, which takes the place of statuses', () => {
  const search = messagesSearch({ status: ['HELD'], recipient: 'ada', retrying: 'yes' })
  expect(search.retrying).toBeUndefined()
  const retrying = withGroup(search, 'retrying')
  expect(retrying).toEqual({ recipient: 'ada', retrying: true })
  expect(apiFilters(messagesSearch({ ...retrying }), 0)).toEqual(retrying)
  expect(groupOf(retrying)).toBe('retrying')
  expect(groupOf({ ...retrying, status: ['HELD'] })).toBeUndefined()
  expect(withGroup(retrying, 'failed')).toEqual({ recipient: 'ada', ...failures })
  expect(withGroup({ recipient: 'ada', ...failures }, 'held')).toEqual({ recipient: 'ada', status: ['HELD'] })
  expect(withGroup(retrying, 'all')).toEqual({ recipient: 'ada' })
})

test('the field takes conditions by their words; a recipient may have a colon', () => {
  expect(searchOf('status:held status:ROUTED to:ada event:order-shipped')).toEqual({
    ...{ status: ['HELD', 'ROUTED'], recipient: 'ada', event: 'order-shipped' },
  })
  expect(searchOf('finding:Variable_Missing')).toEqual({ finding: ['variable_missing'] })
  expect(searchOf('tenant:acme  template:T')).toEqual({ tenant_id: 'acme', notification: 'T' })
  expect(searchOf('Status:held to:ada lovelace')).toEqual({ status: ['HELD'], recipient: 'ada lovelace' })
  expect(searchOf('user:42')).toEqual({ recipient: 'user:42' })
  expect(searchOf('to:')).toEqual({ recipient: 'to:' })
})

test('an email address and a telephone number are addresses, whatever else has such signs is a recipient', () => {
  expect(searchOf(' Ada@example.com status:held')).toEqual({ status: ['HELD'], address: 'Ada@example.com' })
  expect(searchOf('+1 (202) 555-0143')).toEqual({ address: '+1 (202) 555-0143' })
  expect(searchOf('address:4711')).toEqual({ address: '4711' })
  expect(searchOf('to:ada@example.com')).toEqual({ recipient: 'ada@example.com' })
  for (const id of ['ada@', '@ada', '4915112345', 'ada @ home', 'user:ada@example.com'])
    expect(searchOf(id)).toEqual({ recipient: id })
  expect(withConditions({ recipient: 'bob', event: 'e' }, typed('ada@example.com'))).toEqual({
    event: 'e',
    address: 'ada@example.com',
  })
  expect(withConditions({ address: 'ada@example.com' }, typed('status:held'))).toEqual({
    address: 'ada@example.com',
    status: ['HELD'],
  })
})

test('the name of a group stands for its statuses, and a value that its filter does not have is not searched for', () => {
  expect(searchOf('status:failed')).toEqual(failures)
  expect(searchOf('status:Waiting to:ada')).toEqual({ status: [...statusGroups.waiting], recipient: 'ada' })
  // A status comes before a group of its name.
  expect(searchOf('status:held status:opened')).toEqual({ status: ['HELD', 'OPENED'] })
  expect(searchOf('to:ada status:foo')).toEqual({ name: 'status', unknown: 'foo' })
  expect(searchOf('reason:constructor')).toEqual({ name: 'reason', unknown: 'constructor' })
  expect(searchOf('status:constructor')).toEqual({ name: 'status', unknown: 'constructor' })
  expect(searchOf('channel:foo')).toEqual({ channel: ['foo'] })
  expect(messagesSearch({ status: ['foo', 'HELD'], reason: 'bar', except_reason: 'baz' })).toEqual({ status: ['HELD'] })
})

test('typed conditions narrow the list; another recipient replaces the one before', () => {
  const search = messagesSearch({ recipient: 'ada', event: 'e', retrying: true })
  expect(withConditions(search, typed('status:HELD'))).toEqual({ recipient: 'ada', event: 'e', status: ['HELD'] })
  expect(withConditions(search, typed('tag:x'))).toEqual({ ...search, tag: ['x'] })
  expect(withConditions(search, typed('grace'))).toEqual({ ...search, recipient: 'grace' })
  expect(withConditions(search, typed(''))).toEqual({ event: 'e', retrying: true })
  expect(withConditions(failures, typed('tag:x'))).toEqual({ ...failures, tag: ['x'] })
  expect(withConditions(failures, typed('status:HELD'))).toEqual({ status: ['HELD'] })
  expect(withConditions(failures, typed('reason:UNSUBSCRIBED'))).toEqual({
    ...{ status: failures.status, reason: ['UNSUBSCRIBED'] },
  })
})

test('the message beside the list is no filter', () => {
  const search = messagesSearch({ status: ['HELD'], open: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5' })
  expect(search.open).toBe('1-65f1a2b3-0a1b2c3d4e5f60718293a4b5')
  expect(apiFilters(search, 0)).toEqual({ status: ['HELD'] })
})

test('the field takes a message id or a recipient', () => {
  expect(typed('1-65f1a2b3-0a1b2c3d4e5f60718293a4b5')).toEqual({ messageId: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5' })
  expect(typed('ada')).toEqual({ recipient: 'ada' })
  expect(typed('')).toEqual({})
})
