/** /routing-strategies: routings that notifications share. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax, tagCharactersMax, tagsMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { chosenId, id, name, nullable, text, timestamp } from '../../api/values.ts'
import { ChannelSettings, ProviderSettings } from '../../shapes/message-send.ts'
import { MessageRouting } from '../../shapes/routing.ts'
import { NotificationSummary } from './notifications.ts'

export const routingStrategiesPage = 20
/** A strategy as JSON: some channels with their settings. Strategies in use are cached in memory. */
export const routingStrategyBytesMax = 50_000

const tags = Type.Array(Type.String({ minLength: 1, maxLength: tagCharactersMax }), {
  maxItems: tagsMax,
  description: 'Tags, for your own order.',
})
const channels = Type.Record(Type.String(), nullable(ChannelSettings), {
  description: 'Settings by channel; those of a send take precedence.',
})
const providers = Type.Record(Type.String(), nullable(ProviderSettings), {
  description: 'Settings by provider; those of a send take precedence. An `override` has no `config` here.',
})

const strategy = {
  name: name('Display name.'),
  routing: MessageRouting,
  channels: Type.Optional(nullable(channels)),
  providers: Type.Optional(nullable(providers)),
  description: Type.Optional(nullable(text('Description.'))),
  tags: Type.Optional(nullable(tags)),
}

export const RoutingStrategyWrite = Type.Object(strategy, {
  title: 'RoutingStrategyWrite',
  description: 'A routing strategy, in a request to replace it.',
})
export type RoutingStrategyWrite = Static<typeof RoutingStrategyWrite>

export const RoutingStrategyCreate = Type.Object(
  { id: chosenId(), ...strategy },
  { title: 'RoutingStrategyCreate', description: 'A routing strategy, in a request to create it.' },
)

const summaryFields = {
  id: Type.String({ description: 'The strategy id.' }),
  name: name('Display name.'),
  description: nullable(Type.String({ description: 'Description.' })),
  tags,
  created: timestamp('Time of creation.'),
  creator: Type.String({ description: 'API key that created the strategy.' }),
  updated: Type.Optional(timestamp('Time of the last change.')),
  updater: Type.Optional(Type.String({ description: 'API key of the last change.' })),
}

export const RoutingStrategySummary = Type.Object(summaryFields, {
  title: 'RoutingStrategySummary',
  description: 'A routing strategy without its routing.',
})
export type RoutingStrategySummary = Static<typeof RoutingStrategySummary>

export const RoutingStrategy = Type.Object(
  { ...summaryFields, routing: MessageRouting, channels, providers },
  { title: 'RoutingStrategy', description: 'A routing that notifications share.' },
)
export type RoutingStrategy = Static<typeof RoutingStrategy>

const params = Type.Object({ id: id('The strategy id.') })
const example = { id: '01j9rs5f4k2m8q7x' }
const written: RoutingStrategyWrite = {
  name: 'Email first',
  routing: { method: 'single', channels: ['email', 'sms'] },
  channels: { email: { providers: ['sendgrid', 'smtp'] } },
  description: 'Mail, and a text message where mail fails.',
  tags: ['production'],
}
const summary = {
  ...example,
  name: 'Email first',
  description: 'Mail, and a text message where mail fails.',
  tags: ['production'],
  created: 1_767_225_600_000,
  creator: 'key/backend',
}
const reply = {
  ...summary,
  routing: { method: 'single' as const, channels: ['email', 'sms'] },
  channels: { email: { providers: ['sendgrid', 'smtp'] } },
  providers: {},
}

export default resource({
  name: 'routingStrategies',
  position: 225,
  title: 'Routing strategies',
  description:
    'Channels and their order, stored once and used by every notification whose `routing` is `{"strategy_id": …}`.',
  role: 'editor',
  impersonal: true,
  operations: [
    operation({
      id: 'routingStrategies.list',
      method: 'GET',
      path: '/routing-strategies',
      summary: 'List routing strategies',
      description: 'Newest first, without their routing.',
      query: Type.Object(pageQuery(routingStrategiesPage)),
      replies: {
        200: Type.Object({ paging: Paging, results: Type.Array(RoutingStrategySummary, { maxItems: pageMax }) }),
      },
      example: { reply: { paging: { more: false }, results: [summary] } },
    }),
    operation({
      id: 'routingStrategies.create',
      method: 'POST',
      path: '/routing-strategies',
      summary: 'Create a routing strategy',
      audit: 'routing_strategy:created',
      body: RoutingStrategyCreate,
      replies: { 201: RoutingStrategy, 409: ErrorBody },
      example: { body: written, reply },
    }),
    operation({
      id: 'routingStrategies.get',
      method: 'GET',
      path: '/routing-strategies/:id',
      summary: 'Get a routing strategy',
      params,
      replies: { 200: RoutingStrategy, 404: ErrorBody },
      example: { params: example, reply },
    }),
    operation({
      id: 'routingStrategies.replace',
      method: 'PUT',
      path: '/routing-strategies/:id',
      summary: 'Replace a routing strategy',
      audit: 'routing_strategy:updated',
      description:
        'Fields that are absent are removed. Every message that is decided a second later goes by the new routing, also one that is tried again.',
      params,
      body: RoutingStrategyWrite,
      replies: { 200: RoutingStrategy, 404: ErrorBody },
      example: {
        params: example,
        body: written,
        reply: { ...reply, updated: 1_767_225_660_000, updater: 'key/backend' },
      },
    }),
    operation({
      id: 'routingStrategies.archive',
      method: 'DELETE',
      path: '/routing-strategies/:id',
      summary: 'Archive a routing strategy',
      audit: 'routing_strategy:archived',
      description: 'No notification may use it: give those another routing first.',
      params,
      replies: { 204: null, 404: ErrorBody, 409: ErrorBody },
      example: { params: example },
    }),
    operation({
      id: 'routingStrategies.notifications',
      method: 'GET',
      path: '/routing-strategies/:id/notifications',
      summary: 'List the notifications of a routing strategy',
      description: 'Those whose draft or published version uses it, newest first.',
      params,
      query: Type.Object(pageQuery(routingStrategiesPage)),
      replies: {
        200: Type.Object({ paging: Paging, results: Type.Array(NotificationSummary, { maxItems: pageMax }) }),
        404: ErrorBody,
      },
      example: { params: example, reply: { paging: { more: false }, results: [] } },
    }),
  ],
})
