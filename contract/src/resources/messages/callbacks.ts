/** /callbacks: what providers report about messages that they have accepted. */
import { Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'

const params = Type.Object({
  token: Type.String({
    maxLength: 1_000,
    description: 'Names the integration and cannot be made up; `callback_url` of the integration has it.',
  }),
})

const common = {
  origin: 'postrider',
  access: 'open',
  calledBy: 'providers',
  readsRawBody: true,
  // Providers report a thousand events at once, and a mail comes back whole.
  bodyMax: 1_048_576,
  params,
  example: { params: { token: 'WyIxIiwiQzNWRkoiXQ.0mZfJ2c1nPq3x8KQv5yR7w' } },
} as const

export default resource({
  name: 'callbacks',
  position: 205,
  title: 'Callbacks',
  description:
    'Providers report the later results of messages here: delivered, bounced, complained, opened, clicked, unsubscribed. Enter `callback_url` of an integration (`GET /providers/:id`) at the provider.',
  operations: [
    operation({
      ...common,
      id: 'callbacks.receive',
      method: 'POST',
      path: '/callbacks/:token',
      summary: 'Receive a callback of a provider',
      description:
        'The signature of the provider is verified before anything is read. Returns 200 when the receipts are durably stored; they are applied to their messages in any order, and repeated ones change nothing.',
      replies: {
        200: Type.String({ description: 'The text that the provider expects; mostly none.' }),
        403: ErrorBody,
        404: ErrorBody,
      },
      produces: 'text/plain',
    }),
    operation({
      ...common,
      id: 'callbacks.verify',
      method: 'GET',
      path: '/callbacks/:token',
      summary: 'Answer a provider that verifies the address',
      description:
        'Some providers request the address before they use it; others report by GET, which is received as a POST is.',
      replies: {
        200: Type.String({ description: 'The text that the provider expects.' }),
        403: ErrorBody,
        404: ErrorBody,
      },
      produces: 'text/plain',
    }),
  ],
})
