/** /events: the names a caller sends, and the notification each stands for. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { idCharactersMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, optionalObject, Success } from '../../api/values.ts'
import { Preferences } from '../../shapes/preferences.ts'

/** Events are listed without pages, as in the public API. */
export const eventsListMax = 10_000
/** Recipients of one dry run: a page of people to look at. */
export const dryRunRecipientsMax = 100

const type = Type.Literal('notification', { description: 'What the event maps to; always `notification`.' })

export const EventMapping = Type.Object(
  { event: Type.String({ description: 'The name.' }), id: Type.String({ description: 'The notification id.' }), type },
  { title: 'EventMapping', description: 'An event name and the notification it stands for.' },
)
export type EventMapping = Static<typeof EventMapping>

const params = Type.Object({ event_id: id('The event name.') })
const example = { event_id: 'order-shipped' }
const mapping = { event: 'order-shipped', id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA', type: 'notification' }

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

export default resource({
  name: 'events',
  position: 190,
  title: 'Events',
  description: 'Names for the things that happen, mapped to notifications.',
  operations: [
    operation({
      id: 'events.list',
      method: 'GET',
      path: '/events',
      summary: 'List event mappings',
      replies: { 200: Type.Object({ results: Type.Array(EventMapping) }) },
      example: { reply: { results: [mapping] } },
    }),
    operation({
      id: 'events.get',
      method: 'GET',
      path: '/events/:event_id',
      summary: 'Get an event mapping',
      params,
      replies: { 200: EventMapping, 404: ErrorBody },
      example: { params: example, reply: mapping },
    }),
    operation({
      id: 'events.put',
      method: 'PUT',
      path: '/events/:event_id',
      summary: 'Map an event to a notification',
      audit: 'event:mapped',
      description: 'Creates or changes the mapping. The notification need not exist yet.',
      params,
      body: Type.Object({ id: id('The notification id.'), type }),
      replies: { 200: Success },
      recommendedPerMinute: 20,
      example: {
        params: example,
        body: { id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA', type: 'notification' },
        reply: { status: 'SUCCESS' },
      },
    }),
    operation({
      id: 'events.delete',
      origin: 'postrider',
      method: 'DELETE',
      path: '/events/:event_id',
      summary: 'Delete an event mapping',
      audit: 'event:deleted',
      params,
      replies: { 204: null, 404: ErrorBody },
      example: { params: example },
    }),
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
            results: Type.Array(Type.Array(RoutingResult), {
              description: 'A list with one entry for each recipient.',
            }),
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
  ],
})
