/** Microsoft Teams: the webhook, the card, and the meaning of each answer. */
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { replied, runAdapter, type Scene } from '../adapter.harness.ts'
import msteams from './msteams.ts'

const URL_OF_PROFILE = 'https://ours.webhook.office.com/workflows/1?sig=profile-secret'
const URL_OF_SETTINGS = 'https://ours.webhook.office.com/workflows/2?sig=settings-secret'
const scene: Scene = {
  profile: { ms_teams: { incoming_webhook: { url: URL_OF_PROFILE } } },
  settings: {},
  content: { title: 'Hello', text: 'Hi **Ada**' },
}
const accepted = replied(202)
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) =>
  runAdapter(msteams, { ...scene, ...changes }, reply)
const cardOf = (changes: Partial<Scene>) =>
  JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '').attachments[0].content
const bySettings = { settings: { webhookUrl: URL_OF_SETTINGS } }

/** https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using#send-adaptive-cards-using-an-incoming-webhook */
test('a message is one card, posted to the webhook of the profile', () => {
  const { requests, outcome } = run()
  expect(requests).toMatchObject([
    {
      method: 'POST',
      url: URL_OF_PROFILE,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      final: true,
    },
  ])
  expect(JSON.parse((requests[0] as HttpRequest).body ?? '')).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          type: 'AdaptiveCard',
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          version: '1.5',
          body: [{ type: 'TextBlock', text: 'Hi **Ada**', wrap: true }],
        },
      },
    ],
  })
  expect(outcome).toEqual({ kind: 'sent', reference: {}, delivered: false })
  expect(run({}, replied(200, '1')).outcome).toEqual({ kind: 'sent', reference: {}, delivered: true })
})

test('a webhook of the settings takes every message', () => {
  expect(run(bySettings).requests).toMatchObject([{ url: URL_OF_SETTINGS }])
  expect(run({ ...bySettings, profile: {} }).requests).toMatchObject([{ url: URL_OF_SETTINGS }])
})

test.each(['user_id', 'email', 'channel_id', 'conversation_id'])(
  'a profile with %s alone gets the reason why a webhook cannot reach it',
  (name) => {
    const profile = { ms_teams: { tenant_id: 't', service_url: 'https://smba.example', [name]: 'x' } }
    expect(() => run({ profile })).toThrow(
      `A webhook cannot reach ms_teams.${name}: give ms_teams.incoming_webhook.url`,
    )
    expect(run({ profile, ...bySettings }).outcome.kind).toBe('sent')
  },
)

test('a profile without any place cannot be reached', () => {
  for (const profile of [{}, { ms_teams: 'x' }, { ms_teams: { tenant_id: 't' } }])
    expect(msteams.contact(profile, {}, { recipient: 'ada' })).toBeUndefined()
})

/** https://adaptivecards.io/explorer/ */
test('elements are those of a card', () => {
  const tight = false
  const button = { type: 'button', text: '[Go](https://x.y)', url: 'https://x.y', plain: 'Go', tight } as const
  const elements = [
    { type: 'heading', level: 2, text: '**Big**', inner: 'Big', plain: 'Big', tight },
    { type: 'text', text: 'a\nb', tight },
    { type: 'list', text: '- one\n- two', tight },
    { type: 'quote', text: '> so', inner: 'so', tight },
    { type: 'divider', text: '———', tight },
    { type: 'subtext', text: 'small', tight },
    { type: 'image', text: '', url: 'https://x.y/i', plain: 'Cat', href: 'https://x.y', tight },
    button,
    { ...button, plain: 'Then' },
  ] as const
  const block = (text: string, more = {}) => ({ type: 'TextBlock', text, wrap: true, ...more })
  const open = { type: 'Action.OpenUrl', url: 'https://x.y' }
  expect(cardOf({ content: { elements } }).body).toEqual([
    block('Big', { style: 'heading', weight: 'Bolder', size: 'Large' }),
    block('a\n\nb\n\n- one\n- two'),
    { type: 'Container', style: 'emphasis', items: [block('so')] },
    block('small', { size: 'Small', isSubtle: true, separator: true, spacing: 'Large' }),
    { type: 'Image', url: 'https://x.y/i', altText: 'Cat', selectAction: open },
    {
      type: 'ActionSet',
      actions: [
        { ...open, title: 'Go' },
        { ...open, title: 'Then' },
      ],
    },
  ])
})

test.each<[string, Reply, 'content' | 'owner' | object]>([
  ['400', replied(400, { error: { code: 'TriggerInputSchemaMismatch', message: 'No' } }), 'content'],
  ['a workflow that is off', replied(400, { error: { code: 'WorkflowTriggerIsNotEnabled', message: 'No' } }), 'owner'],
  ['401', replied(401, { error: { code: 'DirectApiAuthorizationRequired', message: 'No' } }), 'owner'],
  ['404', replied(404, { error: { code: 'WorkflowNotFound', message: 'No' } }), 'owner'],
  ['410', replied(410), 'owner'],
  ['413', replied(413), 'content'],
  ['429', replied(429, '', { 'retry-after': '10' }), { kind: 'retry', attempted: false, retryAfterMs: 10_000 }],
  ['500', replied(500), { kind: 'retry', attempted: true }],
  [
    'an error in a 200',
    replied(200, 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413 with X'),
    'content',
  ],
  [
    'a limit in a 200',
    replied(200, 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with X'),
    { kind: 'retry', attempted: false },
  ],
])('%s', (_title, reply, expected) => {
  const scoped = (owner: string) =>
    typeof expected === 'object' ? expected : { kind: 'rejected', scope: expected === 'owner' ? owner : expected }
  expect(run({}, reply).outcome).toMatchObject(scoped('recipient'))
  expect(run(bySettings, reply).outcome).toMatchObject(scoped('configuration'))
})

test('no part of the address is in an error', () => {
  const { outcome } = run({}, replied(404, { error: { code: 'X', message: `Nothing at ${URL_OF_PROFILE}` } }))
  expect(JSON.stringify(outcome)).not.toContain('profile-secret')
})
