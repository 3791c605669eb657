/** /unrecognized-bounces: mails that came to a bounce address and were not understood. */
import { type Static, Type } from 'typebox'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { nullable, timestamp } from '../../api/values.ts'

export const unrecognizedBouncesPage = 10

export const UnrecognizedBounce = Type.Object(
  {
    id: Type.String({ description: 'Id of the mail.' }),
    message_id: Type.String({ description: 'The message that its bounce address names.' }),
    created: timestamp('When it came in.'),
    envelope_sender: nullable(
      Type.String({
        description:
          'As the mail server handed it over: empty for that of a mail system, null for a mail that was posted.',
      }),
    ),
    mail: Type.String({
      description:
        'The mail as it came: its first 16 kB, each byte as a character (Latin-1). The token of a bounce address is masked where it stands in plain text; encoded text can have it.',
    }),
  },
  { title: 'UnrecognizedBounce', description: 'A mail that came to a bounce address and was not understood.' },
)
export type UnrecognizedBounce = Static<typeof UnrecognizedBounce>

export default resource({
  name: 'unrecognizedBounces',
  position: 301,
  title: 'Unrecognized bounces',
  description:
    'Mails that came to a bounce address and were neither understood nor an answer. They change nothing; they are kept so that their format can be added.',
  operations: [
    operation({
      id: 'unrecognizedBounces.list',
      origin: 'postrider',
      method: 'GET',
      path: '/unrecognized-bounces',
      // A bounce can be made up with the token of a mail that is not plain text.
      role: 'full',
      access: 'published',
      summary: 'List unrecognized bounces',
      description:
        'Newest first. The latest hundred of the workspace are kept for 14 days, at most three of one message. `postrider inspect bounces` says how each is read.',
      query: Type.Object(pageQuery(unrecognizedBouncesPage)),
      replies: { 200: Type.Object({ paging: Paging, results: Type.Array(UnrecognizedBounce, { maxItems: pageMax }) }) },
      example: {
        reply: {
          paging: { more: false },
          results: [
            {
              id: '1-65f1a2b4-0781b2c3d4e5f60718293a4b',
              message_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5',
              created: 1_710_334_644_120,
              envelope_sender: '',
              mail: 'From: courier@mx.example.com\r\nTo: bounces+********@example.org\r\nSubject: Sorry\r\n\r\nNo luck.\r\n',
            },
          ],
        },
      },
    }),
  ],
})
