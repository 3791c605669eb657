/** POST /send: sends a message of either generation. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { idCharactersMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { StrictQuery } from '../../api/strict.ts'
import { id, nullable, optionalObject } from '../../api/values.ts'
import { Delay } from '../../shapes/delay.ts'
import { MessageSendBody, messageSendExample, messageSendExamples, RequestReply } from '../../shapes/message-send.ts'
import { Preferences } from '../../shapes/preferences.ts'

/** The fields of the first generation of the send body; `explain` takes the same. */
export const SendBody = Type.Object(
  {
    event: id('A notification id, or a name mapped to a notification (`PUT /events/:event_id`).'),
    recipient: Type.Union(
      [
        Type.String({ minLength: 1, maxLength: idCharactersMax }),
        Type.Integer({
          minimum: Number.MIN_SAFE_INTEGER,
          maximum: Number.MAX_SAFE_INTEGER,
          description:
            'Converted to a decimal string. Larger ids must be sent as strings: as numbers they would be rounded.',
        }),
      ],
      { description: 'Stable id of the recipient, independent of addresses.' },
    ),
    profile: optionalObject(
      'Contact values for this message only: merged over the stored profile, key by key, and not stored.',
    ),
    data: optionalObject('Values of the template variables.'),
    brand: Type.Optional(nullable(id('Brand of the message.'))),
    override: optionalObject(
      'Overrides by provider: `override.<provider>.body` is merged over the request to the provider, `override.<provider>.config` over the settings of its integration.',
    ),
    preferences: Type.Optional(
      Type.Union([Preferences, Type.Null()], {
        description: 'Preferences for this message; they take precedence over the stored ones.',
      }),
    ),
    delay: Type.Optional(Type.Union([Delay, Type.Null()], { description: 'Delay before the message is sent.' })),
  },
  { title: 'SendBody', description: 'One notification to one recipient.' },
)
export type SendBody = Static<typeof SendBody>

export const SendReply = Type.Object(
  { messageId: Type.String({ description: 'Id of the message.' }) },
  { title: 'SendReply', description: 'The message is stored and will be processed.' },
)

export const sendExample = {
  event: 'welcome',
  recipient: 'user-7',
  profile: { email: 'ada@example.com' },
  data: { name: 'Ada' },
}

export default resource({
  name: 'send',
  position: 10,
  title: 'Send',
  description: 'Sends a notification to one or more recipients.',
  operations: [
    operation({
      id: 'send.send',
      method: 'POST',
      path: '/send',
      access: 'key',
      mockRole: 'editor',
      summary: 'Send a notification',
      description:
        'Replies as soon as the message is durably stored. An unknown event, a missing address or an opt-out is not an error of this call: it becomes the status of the message. A strict send (`?strict=true`, the header `Prefer: handling=strict` or the setting of the environment) returns 400 for all of these except the opt-out. A body with `message` is of the second generation: it supports several recipients, inline content and routing, and returns 202 with a request id. A body of the first generation can also be an urlencoded form with nested keys in brackets, `profile[email]=…`.',
      query: StrictQuery,
      body: SendBody,
      variant: {
        key: 'message',
        body: MessageSendBody,
        status: 202,
        example: { body: messageSendExample, reply: { requestId: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5' } },
        examples: messageSendExamples,
      },
      replies: { 200: SendReply, 202: RequestReply, 409: ErrorBody },
      example: { body: sendExample, reply: { messageId: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5' } },
    }),
  ],
})
