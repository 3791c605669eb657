/** The sentence above the integrations says the way of each channel. */
import type { Integration } from '@postrider/client'
import { expect, test } from 'vitest'
import { channelRoutes, firstOf, turnNumbers, weightsIn } from './channel-routes.ts'

const integration = (
  title: string,
  channels: Integration['channels'],
  more: Partial<Integration> = {},
): Integration => ({
  ...{ id: title as Integration['id'], title, channels, channel: channels[0] ?? 'email', provider: 'smtp' },
  ...{ settings: {}, enabled: true, priority: 0, created: 0 },
  ...more,
})
const mailbox = integration('Mailbox', ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook'], {
  provider: 'mailbox',
})

const open = { circuit_breaker: { state: 'open', since: 1 } } as const
const usedUp = { limits: { per_day: 2 }, used_today: 2 }
/** In their order; a number is a weight. */
const mailsOf = (...rows: [title: string, weight?: number | undefined, more?: Partial<Integration>][]) =>
  rows.map(([title, weight, more], priority) =>
    integration(title, ['email'], { priority, ...(weight !== undefined && { weight }), ...more }),
  )
const emailRoute = (rows: Integration[]) => channelRoutes(rows).find(({ channels }) => channels.includes('email'))

test('a channel goes by its integrations in their order, and the others stay in the mailbox', () => {
  const rows = [
    mailbox,
    integration('SMTP', ['email'], { priority: 9 }),
    integration('SES', ['email'], { priority: 1 }),
  ]
  expect(channelRoutes([...rows, integration('Twilio', ['sms'])])).toEqual([
    { channels: ['email'], kind: 'sent', turns: [['SES'], ['SMTP']], skipped: [] },
    { channels: ['sms'], kind: 'sent', turns: [['Twilio']], skipped: [] },
    { channels: ['push', 'direct_message', 'inbox', 'webhook'], kind: 'mailbox', turns: [], skipped: [] },
  ])
})

test('integrations with a weight share a turn at their own places, behind those that come first', () => {
  const rows = mailsOf(['Company mail'], ['One', 50], ['Two', 60], ['Spare'])
  expect(emailRoute(rows)?.turns).toEqual([['Company mail'], ['One', 'Two'], ['Spare']])
  expect([...turnNumbers(rows)]).toEqual([
    ['Company mail', 1],
    ['One', 2],
    ['Two', 2],
    ['Spare', 3],
  ])
  expect(weightsIn(rows)).toBe(110)
})

test('one without a weight keeps its place between those that share', () => {
  expect(emailRoute(mailsOf(['A', 1], ['B'], ['C', 1]))?.turns).toEqual([['A', 'C'], ['B']])
  expect(emailRoute(mailsOf(['A', 1, open], ['B'], ['C', 1]))?.turns).toEqual([['B', 'C']])
  expect(emailRoute(mailsOf(['A', 1, open], ['C', 1], ['B']))?.turns).toEqual([['C'], ['B']])
})

test('a single weight shares nothing', () => {
  const rows = mailsOf(['A'], ['B', 5])
  expect([emailRoute(rows)?.turns, weightsIn(rows)]).toEqual([[['A'], ['B']], undefined])
})

test('one that is not called now is left out, and named where it would come first', () => {
  const rows = (first: object, second: object) => mailsOf(['A', undefined, first], ['B', undefined, second], ['C'])
  expect(emailRoute(rows(open, {}))).toMatchObject({ kind: 'sent', turns: [['B'], ['C']], skipped: ['A'] })
  expect(emailRoute(rows(usedUp, open))).toMatchObject({ kind: 'sent', turns: [['C']], skipped: ['A', 'B'] })
  expect(emailRoute(rows({}, open))).toMatchObject({ kind: 'sent', turns: [['A'], ['C']], skipped: [] })
})

test('a channel with none that is called now is stopped', () => {
  const rows = mailsOf(['A', undefined, open], ['B', undefined, usedUp])
  expect(emailRoute(rows)).toEqual({ channels: ['email'], kind: 'stopped', turns: [], skipped: ['A', 'B'] })
})

test('a channel whose integrations are switched off goes nowhere', () => {
  const routes = channelRoutes([integration('SES', ['email'], { enabled: false })])
  expect(routes).toEqual([
    {
      channels: ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook'],
      ...{ kind: 'none', turns: [], skipped: [] },
    },
  ])
})

test('the first of many are named in their turns', () => {
  expect(firstOf([['A'], ['B', 'C', 'D'], ['E']], 3)).toEqual([['A'], ['B', 'C']])
  expect(firstOf([['A']], 3)).toEqual([['A']])
})
