/** /events: event names and the notifications to which they are mapped. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { idCharactersMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, optionalObject, Success } from '../../api/values.ts'
import { Preferences } from '../../shapes/preferences.ts'

/** Events are listed without pages, as in the public API. */
export const eventsListMax = 10_000
/** Recipients of one dry run: a page to review. */
export const dryRunRecipientsMax = 100

const type = Type.Literal('notification', { description: 'Always `notification`.' })

export const EventMapping = Type.Object(
  {
    event: Type.String({ description: 'The event name.' }),
    id: Type.String({ description: 'The notification id.' }),
    type,
  },
  { title: 'EventMapping', description: 'An event name and the notification to which it is mapped.' },
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
const Reason = Type.Enum([...routingReasons], { description: 'Reason why the channel is not used.' })

export const RoutingResult = Type.Object(
  {
    recipient: Type.String({ description: 'The recipient id.' }),
    routing: Type.Union(
      [
        Type.Object(
          { reason: Reason, selected: Type.Literal(false, { description: 'Always false: nothing would be sent.' }) },
          { description: 'Nothing can be sent for the event.' },
        ),
        Type.Object(
          {
            channelsSummary: Type.Array(
              Type.Object({
                channel: Type.String({ description: 'The channel.' }),
                reason: Type.Optional(Reason),
                selected: Type.Boolean({
                  description: 'Whether the channel would be used, immediately or after earlier channels fail.',
                }),
                type: Type.Enum(['always', 'bestOf'], {
                  description: '`always`: each channel is used. `bestOf`: the first channel that succeeds.',
                }),
              }),
              { description: 'Channels, in order.' },
            ),
            preferences: Preferences,
          },
          {
            description:
              'The channels that were considered, and the preferences of the recipient: the stored ones and those of the call.',
          },
        ),
      ],
      { description: 'Result of the routing.' },
    ),
  },
  { title: 'RoutingResult', description: 'Routing of a send to one recipient.' },
)
export type RoutingResult = Static<typeof RoutingResult>

export default resource({
  name: 'events',
  position: 190,
  title: 'Events',
  description: 'Event names that are mapped to notifications.',
  impersonal: true,
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
      preconditions: ['absent'],
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
      access: 'key',
      summary: 'Preview the routing of an event',
      description: `Returns the channels that a send to at most ${dryRunRecipientsMax} recipients would use. Nothing is stored and no provider is called. \`POST /explain\` has more detail for one recipient.`,
      params: Type.Object({ event: id('A notification id, or a mapped event.') }),
      body: Type.Object({
        recipients: Type.Array(
          Type.Object({
            recipient: Type.String({ minLength: 1, maxLength: idCharactersMax, description: 'The recipient id.' }),
            data: optionalObject('Values of the template variables.'),
            profile: optionalObject('Contact values, merged over the stored profile.'),
            preferences: Type.Optional(
              Type.Union([Preferences, Type.Null()], {
                description: 'Preferences that take precedence over the stored ones.',
              }),
            ),
          }),
          { minItems: 1, maxItems: dryRunRecipientsMax, description: 'Recipients of the preview.' },
        ),
      }),
      replies: {
        200: Type.Object(
          {
            results: Type.Array(Type.Array(RoutingResult), {
              description: 'One array for each recipient.',
            }),
          },
          { title: 'RoutingResults', description: 'Results in the order of the recipients.' },
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
