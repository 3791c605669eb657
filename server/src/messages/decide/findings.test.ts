/** Every code of a step is the finding of a decision that is made here, with its params and its sentence. */
import {
  type DecisionCode,
  type DecisionNote,
  type DecisionStep,
  decisionCodeNames,
  decisionCodes,
  decisionsReference,
  type Explanation,
} from '@postrider/contract'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { providers } from '../../providers/catalog.ts'
import { DraftInvalid } from '../../providers/provider.ts'
import { compile } from '../../templates/compile.ts'
import {
  defaultWindows,
  type Facts,
  type Integration,
  type Notification,
  type PreferenceEntry,
  type Suppression,
} from '../facts.ts'
import type { SendInput } from '../send.ts'
import { explain } from '../timeline/explain.ts'
import { all, backup, mailbox, single, smtp, twilio } from './route.harness.ts'

interface Message {
  input?: Partial<SendInput>
  notification?: Partial<Notification> | undefined
  facts?: Partial<Facts>
  now?: number
  firstDue?: number
  messageId?: string
}

const stepsOf = (message: Message): DecisionStep[] => explanationOf(message).steps

function explanationOf({ input, facts, now = 0, firstDue = 0, messageId = 'm', ...message }: Message): Explanation {
  const notification: Notification = {
    id: 'N',
    version: 3,
    name: 'n',
    template: compile({ title: 't', body: 'b' }),
    routing: single('email'),
    condition: undefined,
    brandId: undefined,
    atMostOnce: false,
    ...message.notification,
  }
  const isPublished = !('notification' in message) || message.notification !== undefined
  return explain({
    messageId,
    workspaceId: 1,
    workspace: 'test',
    mode: 'live',
    firstDue,
    now,
    input: { event: 'e', recipient: 'r', profile: { email: 'a@example.com' }, ...input },
    facts: {
      mapping: { notificationId: 'N', ...(isPublished && { notification }) },
      storedProfile: undefined,
      preferences: [],
      integrations: [smtp],
      holdsMisconfigured: false,
      onMissing: 'keep',
      integratedChannels: new Set(),
      brands: { message: undefined, channelBrands: new Map(), missing: [] },
      windows: defaultWindows,
      ...facts,
    },
  })
}

const snoozed = { source: 'recipient', snoozes: [{ until: 1_000 }] } as const
const optedOut = (source: string, message_id: string | null = null): Message => {
  const change = { source, actor: 'key/backend', message_id, at: 0 }
  return preferring({ source: 'recipient', status: 'OPTED_OUT', change })
}
const preferring = (entry: PreferenceEntry): Message => ({ facts: { preferences: [entry] } })
const by = (...integrations: Integration[]): Message => ({ facts: { integrations } })
const weighted = { ...smtp, title: 'First', weight: 9_999 }
const onEmail = (notification: Partial<Notification>): Message => ({ notification })
const mailProvider: Integration = {
  ...smtp,
  provider: { ...smtp.provider, contact: ({ email }: JsonObject) => ({ address: email }) },
}
const bounced: Suppression = {
  ...{ id: 'E', reason: 'hard_bounce', source: 'provider/smtp', created: 0 },
  ...{ kind: 'email', address: 'a@example.com' },
}
const failing: Integration = {
  ...backup,
  provider: {
    ...backup.provider,
    compose() {
      throw new DraftInvalid('No sender')
    },
  },
}
const expo: Integration = { ...smtp, id: 'X', title: 'Expo', provider: providers.get('expo')!, channels: ['push'] }
const EPOCH = '1970-01-01T00:00:00.000Z'
const LATER = '1970-01-01T00:00:01.000Z'

/** The message that leads to the code, and its sentence. */
const cases: Record<DecisionCode, [message: Message, sentence: string | RegExp, params?: object]> = {
  content_inline: [{ input: { content: { title: 't', body: 'b' } } }, 'The content came with the send.'],
  event_mapped: [
    {},
    'The event `e` leads to the notification `N`, version v3.',
    { event: 'e', notification_id: 'N', version: 'v3' },
  ],
  template_mapped: [{ input: { template: 'T' } }, 'The template `T` leads to the notification `N`, version v3.'],
  event_unknown: [{ facts: { mapping: undefined } }, 'Unknown event `e`.'],
  template_unknown: [{ input: { template: 'T' }, facts: { mapping: undefined } }, 'Unknown template `T`.'],
  notification_unpublished: [{ notification: undefined }, 'The notification `N` has no published version.'],
  profile_merged: [
    { input: { profile: { email: 'a@b.example' } }, facts: { storedProfile: { locale: 'de' } } },
    'The stored profile was merged with the one of the send.',
  ],
  profile_stored: [
    { input: { profile: {} }, facts: { storedProfile: { email: 'a@b.example' } } },
    'The stored profile is used; the send has none.',
  ],
  profile_of_send: [{}, 'No profile is stored; the one of the send is used.'],
  tenant_merged: [
    { input: { tenantId: 'acme' }, facts: { tenant: { id: 'acme', name: 'Acme', properties: {}, profiles: [] } } },
    'It is sent in the tenant `acme`.',
  ],
  tenant_unknown: [{ input: { tenantId: 'acme' } }, 'Unknown tenant `acme`.'],
  no_preference: [{}, 'No preference applies.'],
  preferences_allow: [preferring({ source: 'recipient', status: 'OPTED_IN' }), 'Preferences allow it.'],
  channels_limited: [
    preferring({ source: 'recipient', channels: ['email', 'sms'] }),
    'Preferences allow only email, sms.',
    { channels: ['email', 'sms'] },
  ],
  required: [preferring({ source: 'topic', status: 'REQUIRED' }), 'It is sent whatever the recipient chose.'],
  opted_out: [preferring({ source: 'recipient', status: 'OPTED_OUT' }), 'The recipient opted out.'],
  opted_out_by_actor: [optedOut('api'), `The recipient opted out, by key/backend, ${EPOCH}.`],
  opted_out_by_one_click: [
    optedOut('one_click', 'before'),
    `The recipient unsubscribed by one click in the header of the message \`before\`, ${EPOCH}.`,
    { at: 0, message_id: 'before' },
  ],
  opted_out_on_page: [
    optedOut('page'),
    `The recipient opted out on the page of preferences, by a link, ${EPOCH}.`,
    { at: 0 },
  ],
  not_opted_in: [
    preferring({ source: 'topic', status: 'OPTED_OUT' }),
    'It is only for those who opted in, and the recipient did not.',
  ],
  snoozed: [preferring(snoozed), `The recipient snoozed it until ${LATER}.`, { until: 1_000 }],
  digested: [
    { facts: { digest: { topicId: 'news', until: 1_000 } as Facts['digest'] & object } },
    `It is kept for the digest of the topic \`news\`, until ${LATER} at the latest.`,
  ],
  topic_unknown: [{ facts: { missingTopic: 'news' } }, 'Unknown topic `news`.'],
  endless_snooze: [preferring({ source: 'recipient', endlessSnooze: true }), 'A snooze without an end has no effect.'],
  due_now: [{}, 'It may be sent now; no condition is set.'],
  due_later: [{ firstDue: 1_000 }, `It waits until ${LATER}; no condition is set.`],
  hours_closed: [
    { input: { openingHours: { rule: '08:00-18:00', timezone: 'UTC' } } },
    'It waits for its hours until 1970-01-01T08:00:00.000Z.',
    { until: 8 * 60 * 60 * 1_000 },
  ],
  deadline_passed: [
    { now: defaultWindows.messageMs + 1_001, firstDue: 1_000 },
    'Its deadline was 1970-01-04T00:00:01.000Z.',
  ],
  condition_met: [onEmail({ condition: "event == 'e'" }), "The condition `event == 'e'` is met."],
  condition_unmet: [onEmail({ condition: "event == 'f'" }), "The condition `event == 'f'` is not met."],
  condition_failed: [
    onEmail({ condition: 'event ==' }),
    /^The condition `event ==` cannot be evaluated: notification\.settings\.if: .+\.$/,
  ],
  routed: [
    { ...by(smtp, twilio), input: { routing: all('email', 'sms'), profile: { email: 'a', phone_number: '1' } } },
    'It goes by email (S) and sms (T).',
    {
      method: 'all',
      integrations: [
        { channel: 'email', provider: 'smtp', title: 'S', devices: 0, fallback: false },
        { channel: 'sms', provider: 'twilio', title: 'T', devices: 0, fallback: false },
      ],
    },
  ],
  strategy_applied: [
    onEmail({ strategy: { id: 'S', name: 'Night', settings: {} } }),
    'The routing is that of the strategy `Night`.',
  ],
  strategy_unknown: [
    onEmail({ strategy: { id: 'S', settings: {} } }),
    'Unknown routing strategy `S`; the default channels are used.',
  ],
  first_by_weight: [
    by(weighted, { ...backup, weight: 1 }),
    'By weight 9999 of 10000, First is the first for email. The id of the message chooses, each time the same.',
  ],
  first_by_weight_anew: [
    { ...by(weighted, { ...backup, weight: 1 }), messageId: '' },
    'By weight 9999 of 10000, First is the first for email. Each message chooses anew by its id.',
  ],
  default_channels: [
    { input: { routing: single() } },
    'The routing of the send names no channels: the default ones are used.',
  ],
  address_suppressed: [
    { facts: { integrations: [mailProvider], suppressions: [bounced] } },
    `The email address is suppressed: hard_bounce by provider/smtp since ${EPOCH}.`,
  ],
  route_name_unknown: [
    { input: { routing: single('emial') } },
    '`emial` is neither a channel nor a provider with an integration. Did you mean `email`?',
    { name: 'emial', suggestion: 'email' },
  ],
  no_channels: [onEmail({ routing: single() }), 'No channels added.'],
  channels_opted_out: [
    preferring({ source: 'recipient', channels: ['sms'] }),
    'Its routing has none of the channels that the preferences allow.',
  ],
  integrations_unavailable: [
    by({ ...smtp, unavailable: true }),
    'No integration that could deliver it is available: it is tried again until its time is over.',
  ],
  inbox_expired: [
    { ...by(mailbox), now: 1_000, input: { routing: single('inbox'), expiry: { inMs: 10 } } },
    'No inbox shows it any more.',
  ],
  channel_conditions_unmet: [
    { input: { routing: single({ channel: 'email', condition: "event == 'f'" }) } },
    'The conditions of its channels are not met.',
  ],
  channel_conditions_failed: [
    { input: { routing: single({ channel: 'email', condition: 'event ==' }) } },
    /^The conditions of its channels cannot be evaluated: routing: the if of email: .+\.$/,
  ],
  no_address: [
    { ...by(smtp, expo), input: { profile: { emial: 'a' }, routing: single('email', 'push') } },
    'No usable address: email (S) needs `email` in the profile (which has `emial`: did you mean `email`?), push (Expo) needs `expo` in the profile, or a token of the user.',
    {
      needs: [
        {
          ...{ channel: 'email', title: 'S', need: 'profile_key', keys: ['email'], keys_total: 1, or_token: false },
          ...{ misspelled: 'emial', suggestion: 'email' },
        },
        { channel: 'push', title: 'Expo', need: 'profile_key', keys: ['expo'], keys_total: 1, or_token: true },
      ],
      more: 0,
      sandbox_channels: [],
      real_channels: [],
    },
  ],
  no_providers: [by(twilio), 'No providers added.'],
  providers_unusable: [
    by({ ...smtp, enabled: false }, { ...backup, readable: false }),
    'No provider can be used: email (S) is switched off, email (B) has secrets that cannot be read.',
  ],
  rendered: [{}, 'Rendered for every candidate.'],
  render_failed: [by(smtp, failing), '1 of 2 candidates cannot be rendered.', { failed: 1, total: 2 }],
  brand_unknown: [
    { facts: { brands: { message: undefined, channelBrands: new Map(), missing: ['B'] } } },
    'Unknown brand `B`; the default is used.',
  ],
  copies_suppressed: [
    {
      input: { override: { channel: { email: { cc: 'Bob <BOB@example.com>', bcc: 'eve@example.com' } } } },
      facts: { suppressions: [{ ...bounced, address: 'bob@example.com' }] },
    },
    `Copies are left out: bob@example.com (hard_bounce by provider/smtp since ${EPOCH}).`,
  ],
  snippet_missing: [
    onEmail({ template: compile({ title: 't', body: '{{>signature}}' }) }),
    'The brand has no snippet `signature`; it is left out.',
  ],
}

/** The sentence of a step is the start of its summary, before those of its notes. */
const sentenceOf = ({ summary, notes = [] }: DecisionStep) =>
  notes.reduceRight((text, note) => text.slice(0, -note.text.length - 1), summary)

test.each(decisionCodeNames)('%s', (code) => {
  const [message, sentence, params] = cases[code]
  const step = stepsOf(message).find((taken) => taken.code === code || taken.notes?.some((note) => note.code === code))!
  expect(step.step).toBe(decisionCodes[code].step)
  const all: DecisionNote[] = [{ ...step, text: sentenceOf(step) }, ...(step.notes ?? [])]
  expect(step.summary).toBe(all.map(({ text }) => text).join(' '))
  const finding = all.find((note) => note.code === code)!
  if (typeof sentence === 'string') expect(finding.text).toBe(sentence)
  else expect(finding.text).toMatch(sentence)
  if (params) expect(finding.params).toEqual(params)
  const { params: required, ...rest } = decisionCodes[code]
  const paramNames: readonly string[] = 'optional' in rest ? [...required, ...rest.optional] : required
  expect(Object.keys(finding.params)).toEqual(expect.arrayContaining([...required]))
  expect(paramNames).toEqual(expect.arrayContaining(Object.keys(finding.params)))
})

test('the example of the reference is the step of such a decision', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(decisionsReference()) ?? []
  const message = { ...by({ ...smtp, title: 'Mail A' }), input: { routing: single('email', 'emial') } }
  expect(stepsOf(message).find(({ step }) => step === 'route')).toEqual(JSON.parse(example))
})

test('a way that is taken at once differs from one that follows a failure', () => {
  const route = (routing: ReturnType<typeof single>, ...integrations: Integration[]) => {
    const input = { routing, profile: { email: 'a', phone_number: '1' } }
    return stepsOf({ ...by(...integrations), input }).find(({ step }) => step === 'route')?.summary
  }
  expect(route(single('email', 'sms'), smtp, backup, twilio)).toBe(
    'It goes by email (S); if that fails, email (B); if that fails, sms (T).',
  )
  expect(route(all('email', 'sms'), smtp, backup, twilio)).toBe(
    'It goes by email (S); if that fails, email (B); and sms (T).',
  )
  expect(route(single(all('smtp', 'sms'), 'sendgrid'), smtp, backup, twilio)).toBe(
    'It goes by email (S) and sms (T); if that fails, email (B).',
  )
  // The channel without an integration is no way that could fail.
  expect(route(single('push', 'email'), smtp, twilio)).toBe('It goes by email (S).')
})

test('where one has nothing to send, the next of its group has its turn at once', () => {
  const empty = { ...failing, id: 'E', provider: { ...failing.provider, key: 'smtp' } }
  const fallbacks = (routing: ReturnType<typeof single>, ...integrations: Integration[]) => {
    const input = { routing, profile: { email: 'a', phone_number: '1' } }
    const { rendered } = explanationOf({ ...by(...integrations), input })
    return rendered.map(({ provider, fallback }) => [provider, fallback])
  }
  expect(fallbacks(all('sms', 'email'), twilio, empty, backup)).toEqual([
    ...[
      ['twilio', false],
      ['smtp', undefined],
      ['sendgrid', false],
    ],
  ])
  // The other way of its group is taken at once: nothing has failed.
  expect(fallbacks(single(all('sms', 'smtp'), 'sendgrid'), twilio, empty, backup)).toEqual([
    ...[
      ['twilio', false],
      ['smtp', undefined],
      ['sendgrid', true],
    ],
  ])
  expect(fallbacks(single('email', 'sms'), smtp, backup, twilio)).toEqual([
    ...[
      ['smtp', false],
      ['sendgrid', true],
      ['twilio', true],
    ],
  ])
})
