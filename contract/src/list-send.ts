/** POST /send/list: one notification to everybody on a list, or on the lists a pattern names. */
import { type Static, Type } from 'typebox'
import { id, nullable } from './json.ts'
import { operation } from './operation.ts'
import { SendBody, SendReply } from './send.ts'
import { StrictQuery } from './strict.ts'

const { event, brand, data, override, preferences, delay } = SendBody.properties

export const ListSendBody = Type.Object(
  {
    list: Type.Optional(nullable(id('The list. It or `pattern` is given.'))),
    pattern: Type.Optional(nullable(id('Every list that matches: `team.*`, `team.**`.'))),
    event,
    brand,
    data,
    override,
    preferences,
    delay,
  },
  { title: 'ListSendBody', description: 'One notification to everybody on a list.' },
)
export type ListSendBody = Static<typeof ListSendBody>

export const listSendOperations = [
  operation({
    id: 'lists.send',
    method: 'POST',
    path: '/send/list',
    summary: 'Send to a list',
    description:
      'Answers as soon as the request is safe on disk; recipients are found afterwards, each once. The messages are found by `GET /messages?messageId=` or `?list=`, and `GET /requests/:request_id` says how far it is. A list that does not exist has nobody on it; a strict call (`?strict=true`, as of `POST /send`) is refused with a 400 for it, and for what would be wrong with the message for every recipient.',
    query: StrictQuery,
    body: ListSendBody,
    replies: { 200: SendReply },
    example: {
      body: { list: 'news.product.eu', event: 'welcome', data: { product: 'Postrider' } },
      reply: { messageId: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5' },
    },
  }),
] as const
