/** Captured messages are read as they are stored. */
import type { MailboxItem } from '@postrider/client'
import { expect, test } from 'vitest'
import { contentOf, headersOf, linksOf, titleOf } from './content.ts'
import { mailboxSearch } from './search.ts'

const item: MailboxItem = {
  ...{ id: 'i', message_id: 'm', channel: 'email', recipient: 'ada', received: 1 },
  content: {
    to: { recipient: 'ada', address: 'ada@example.com' },
    ...{ subject: 'Hello', html: '<p>Hi</p>', text: 'Hi', cc: ['c@example.com'], headers: { 'X-Order': 7 } },
  },
}

test('the address, the words and the headers are found', () => {
  expect(contentOf(item)).toMatchObject({ to: 'ada@example.com', subject: 'Hello', html: '<p>Hi</p>' })
  expect(headersOf(item)).toEqual([
    ['cc', '["c@example.com"]'],
    ['X-Order', '7'],
  ])
})

test('without a subject the first line is the title, and no more of it than fits', () => {
  expect(titleOf({ subject: '', title: 'Shipped', body: 'x', text: undefined })).toBe('Shipped')
  expect(titleOf({ subject: '', title: '', body: '\n4821 is your code\nIt works once', text: '' })).toBe(
    '4821 is your code',
  )
  expect(titleOf({ subject: '', title: '', body: 'a'.repeat(1_000_000), text: '' })).toHaveLength(81)
})

test('links of a text are those of the web', () => {
  expect(linksOf(undefined, 'See https://a.example/x?y=1 or javascript:alert(1).')).toEqual([
    { href: 'https://a.example/x?y=1', label: '' },
  ])
})

test('links of a mail have their words; scripts are no links', () => {
  const html = `<p style="color:red"><a class="b" href="https://a.example/?x=1&amp;y=2"><b>Track</b> it</a>
    <a href='javascript:alert(1)'>no</a><a name="top">no</a><a data-href="https://no.example">no</a><a href="sms:+4930">Text</a></p>`
  expect(linksOf(html, undefined)).toEqual([
    { href: 'https://a.example/?x=1&y=2', label: 'Track it' },
    { href: 'sms:+4930', label: 'Text' },
  ])
})

test('unknown parts and empty filters are dropped', () => {
  expect(mailboxSearch({ part: 'odd', recipient: '', channel: 'sms', still: 'yes' })).toEqual({ channel: 'sms' })
  expect(mailboxSearch({ part: 'source', recipient: 7, still: true })).toEqual({
    ...{ part: 'source', recipient: '7', still: true },
  })
})
