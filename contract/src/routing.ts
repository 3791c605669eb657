/** POST /send/:event/routing: which channels a send would use, without sending. */
import { type Static, Type } from 'typebox'
import { id, optionalObject } from './json.ts'
import { dryRunRecipientsMax, idCharactersMax } from './limits.ts'
import { operation } from './operation.ts'
import { Preferences } from './preference.ts'

export const routingReasons = [
  'CHANNEL_DISABLED',
  'FILTERED',
  'INCOMPLETE_PROFILE_DATA',
  'MISSING_CONFIGURATION',
  'NO_PROVIDERS',
  'UNMAPPED',
  'UNPUBLISHED',
] as const
const Reason = Type.Enum([...routingReasons], { description: 'Why it is not used.' })

export const RoutingResult = Type.Object(
  {
    recipient: Type.String({ description: 'The recipient id.' }),
    routing: Type.Union(
      [
        Type.Object(
          { reason: Reason, selected: Type.Literal(false, { description: 'Nothing would be sent.' }) },
          { description: 'The event leads nowhere.' },
        ),
        Type.Object(
          {
            channelsSummary: Type.Array(
              Type.Object({
                channel: Type.String({ description: 'The channel.' }),
                reason: Type.Optional(Reason),
                selected: Type.Boolean({
                  description: 'Whether it would be used, now or after those before it failed.',
                }),
                type: Type.Enum(['always', 'bestOf'], {
                  description: '`always`: each channel is used. `bestOf`: the first that works.',
                }),
              }),
              { description: 'The channels, in order.' },
            ),
            preferences: Preferences,
          },
          {
            description:
              'The channels that were looked at, and what is known of what the recipient wants: stored, and with the call.',
          },
        ),
      ],
      { description: 'What would happen.' },
    ),
  },
  { title: 'RoutingResult', description: 'What a send to one recipient would do.' },
)
export type RoutingResult = Static<typeof RoutingResult>

export const routingOperations = [
  operation({
    id: 'events.routing',
    method: 'POST',
    path: '/send/:event/routing',
    summary: 'Try the routing of an event',
    description: `For at most ${dryRunRecipientsMax} recipients; nothing is stored and no provider is called. \`POST /explain\` says more about one of them.`,
    params: Type.Object({ event: id('A notification id, or a mapped event.') }),
    body: Type.Object({
      recipients: Type.Array(
        Type.Object({
          recipient: Type.String({ minLength: 1, maxLength: idCharactersMax, description: 'The recipient id.' }),
          data: optionalObject('Values of the template variables.'),
          profile: optionalObject('Merged over the stored profile.'),
          preferences: Type.Optional(
            Type.Union([Preferences, Type.Null()], { description: 'They beat the stored ones.' }),
          ),
        }),
        { minItems: 1, maxItems: dryRunRecipientsMax, description: 'Whom to look at.' },
      ),
    }),
    replies: {
      200: Type.Object(
        {
          results: Type.Array(Type.Array(RoutingResult), { description: 'A list with one entry for each recipient.' }),
        },
        { title: 'RoutingResults', description: 'One result for each recipient, in order.' },
      ),
    },
    example: {
      params: { event: 'welcome' },
      body: { recipients: [{ recipient: 'user-7', profile: { email: 'ada@example.com' } }] },
      reply: {
        results: [
          [
            {
              recipient: 'user-7',
              routing: {
                channelsSummary: [{ channel: 'email', selected: true, type: 'bestOf' }],
                preferences: { notifications: {}, categories: {} },
              },
            },
          ],
        ],
      },
    },
  }),
] as const
