/** Suppressed addresses in a route: left out wherever they are, named with their entry, and the end of a message without another. */
import { expect, test } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import type { Integration, Suppression } from '../facts.ts'
import { backup, integration, mailbox, routed, single, smtp, twilio } from './route.harness.ts'

const entry = { id: 'E', reason: 'hard_bounce', source: 'provider/smtp', created: 0 } as const
const bounced: Suppression = { ...entry, kind: 'email', address: 'a@example.com' }

test('a suppressed address is left out in every integration of its channel, with the entry that suppresses it', () => {
  const profile = { email: 'A@Example.com', phone_number: '+15550100' }
  const { keys, considered } = routed([mail(smtp), mail(backup), twilio], { suppressions: [bounced], profile })
  expect(keys).toEqual(['sms:T'])
  expect(considered?.filter(({ channel }) => channel === 'email')).toMatchObject([
    { integration: 'S', selected: false, reason: 'SUPPRESSED', suppression: entry },
    { integration: 'B', selected: false, reason: 'SUPPRESSED', suppression: entry },
  ])
})

test('a message without another candidate is undeliverable, whatever is wrong with the others', () => {
  const { stop, error } = routed([mail(smtp), twilio, mailbox], {
    suppressions: [bounced],
    profile: { email: 'a@example.com' },
  })
  expect(stop).toBe('SUPPRESSED')
  expect(error).toBe('The email address is suppressed: hard_bounce by provider/smtp since 1970-01-01T00:00:00.000Z')
})

test('another address, a switched-off integration and a refused channel are not suppressed', () => {
  const elsewhere = { ...bounced, address: 'b@example.com' }
  expect(routed([mail(smtp)], { suppressions: [elsewhere], routing: single('email') }).keys).toEqual(['email:S'])
  const off = integration('O', 'smtp', ['email'], 'email', false)
  expect(routed([off], { suppressions: [bounced], routing: single('email') }).stop).toBe('NO_PROVIDERS')
  expect(routed([mail(smtp)], { suppressions: [bounced], chosen: ['sms'] }).stop).not.toBe('SUPPRESSED')
})

/** With addresses as mail providers have them. */
function mail(integration: Integration): Integration {
  const contact = ({ email }: JsonObject) => (typeof email === 'string' ? { address: email } : undefined)
  return { ...integration, provider: { ...integration.provider, contact } }
}
