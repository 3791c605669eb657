/** The test of an integration: a sign-in, and a message where one is sent. */
import { type Static, Type } from 'typebox'
import { jsonObject, text } from '../api/values.ts'
import { ChannelName } from './channel.ts'
import { IntegrationName } from './integration.ts'
import { MessageStatus } from './status.ts'

/** An attempt takes 30 s at most, and waits for its turn before. */
export const testTimeoutMaxMs = 45_000
/** A person who tries settings needs fewer; a program that sends by tests would need more. */
export const testsPerMinute = 30

const timeoutMs = Type.Integer({
  minimum: 1_000,
  maximum: testTimeoutMaxMs,
  description: `How long to wait for the provider. Default: ${testTimeoutMaxMs}.`,
})

export const ProviderTestBody = Type.Object(
  {
    to: Type.Optional(
      text('Address to send to: an email address, a phone number, a channel, a token of a device, a web address.'),
    ),
    recipient: Type.Optional(text('Recipient with a stored profile, instead of an address.')),
    profile: Type.Optional(jsonObject('Profile values, instead of an address or over those of the recipient.')),
    send: Type.Optional(
      Type.Boolean({
        description:
          'Whether a message is sent. Default: true with `to`, `recipient` or `profile`. Needed where the settings name the address.',
      }),
    ),
    channel: Type.Optional(
      Type.Enum([...ChannelName.enum], {
        description: 'Channel of the message. Default: the first of the integration.',
      }),
    ),
    subject: Type.Optional(text('Subject or title of the message.')),
    text: Type.Optional(text('Text of the message.')),
    timeout_ms: Type.Optional(timeoutMs),
    settings: Type.Optional(
      jsonObject(
        'Settings to sign in with, which are not stored. Absent ones are those of the integration, as is a secret that is sent as its mask; null removes one. Not with a message.',
      ),
    ),
  },
  { title: 'ProviderTestBody', description: 'A test of an integration; without an address nothing is sent.' },
)
export type ProviderTestBody = Static<typeof ProviderTestBody>

const hint = Type.Optional(Type.String({ description: 'The remedy.' }))
const tookMs = Type.Optional(Type.Integer({ minimum: 0, description: 'How long it took, in milliseconds.' }))

const signIn = Type.Object({
  state: Type.Enum(['ok', 'fail', 'skip'], {
    description:
      '`ok`: the provider accepts the credentials, or takes connections where it has no such call. `skip`: only a message would show it.',
  }),
  detail: Type.String({ description: 'The result, as a sentence.' }),
  hint,
  settings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Names of the settings to correct: the credentials, the address, or those of its encryption. Absent where it is none of them.',
    }),
  ),
  took_ms: tookMs,
})

export const SettingsTest = Type.Object(
  { ok: Type.Boolean({ description: 'False for a sign-in that failed.' }), sign_in: signIn },
  { title: 'SettingsTest', description: 'Result of a test of settings that are not stored.' },
)
export type SettingsTest = Static<typeof SettingsTest>

export const ProviderTest = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether everything that was tried went well.' }),
    integration: IntegrationName,
    sign_in: signIn,
    message: Type.Optional(
      Type.Object(
        {
          id: Type.String({ description: 'The message id; its history and explanation are those of any message.' }),
          channel: ChannelName,
          status: MessageStatus,
          outcome: Type.Enum(['sent', 'retry', 'rejected', 'in_doubt', 'not_called', 'no_answer'], {
            description:
              '`sent`: the provider accepted it. `retry`: a temporary failure, which a test does not repeat. `rejected`: a permanent one. `in_doubt`: no answer came after the message was handed over. `not_called`: nothing was sent. `no_answer`: the time of the test is over.',
          }),
          cause: Type.Optional(
            Type.Enum(['configuration', 'recipient', 'content'], {
              description: 'Cause of a rejection: the integration, the address, or the content.',
            }),
          ),
          error: Type.Optional(Type.String({ description: 'Error of the provider.' })),
          hint,
          reference: Type.Optional(jsonObject('Identifiers of the message at the provider.')),
          took_ms: tookMs,
        },
        { description: 'The test message, where one was sent.' },
      ),
    ),
  },
  { title: 'ProviderTest', description: 'Result of a test of an integration.' },
)
export type ProviderTest = Static<typeof ProviderTest>
