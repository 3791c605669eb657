/** /notifications: templates are written, published, read back and archived. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { conditionCharactersMax, pageMax, tagCharactersMax, tagsMax, versionsPage } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, moment, name, nullable, text } from '../../api/values.ts'
import { ContentInput, NotificationContent } from '../../shapes/content.ts'
import { NotificationRouting, RoutingMethod } from '../../shapes/routing.ts'

export const notificationsPage = 50

export const NotificationSettings = Type.Object(
  {
    delivery_policy: Type.Optional(
      Type.Enum(['default', 'at_most_once'], {
        description:
          '`default`: an interrupted attempt is repeated. `at_most_once`: it is not, for one-time codes and the like.',
      }),
    ),
    on_missing_variable: Type.Optional(
      Type.Enum(['keep', 'fail'], {
        description: '`keep`: `{name}` stays as written. `fail`: the message is not sent.',
      }),
    ),
    category: Type.Optional(
      name('The category it belongs to: recipients can have preferences for all of it, under this name.'),
    ),
    if: Type.Optional(
      Type.String({ maxLength: conditionCharactersMax, description: 'Sent only while this expression is true.' }),
    ),
  },
  {
    title: 'NotificationSettings',
    description: 'How the notification behaves. Settings not named here are refused.',
    // A misspelt `delivery_policy` would send a one-time code twice.
    additionalProperties: false,
  },
)
export type NotificationSettings = Static<typeof NotificationSettings>

export const NotificationState = Type.Enum(['DRAFT', 'PUBLISHED'], {
  title: 'NotificationState',
  description: '`PUBLISHED` publishes what is written at once; `DRAFT` keeps it for keys of the kind `draft`.',
})
export type NotificationState = Static<typeof NotificationState>

const shared = {
  name: name('Name for people.'),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: tagCharactersMax }), {
    maxItems: tagsMax,
    description: 'Tags to find it by.',
  }),
  brand: Type.Union([Type.Object({ id: id('The brand id.') }), Type.Null()], {
    description: 'Brand to render with; null for the default of the workspace.',
  }),
  subscription: Type.Union([Type.Object({ topic_id: id('The topic id.') }), Type.Null()], {
    description: 'The topic recipients can opt out of; null for none.',
  }),
  routing: Type.Union([NotificationRouting, Type.Null()], {
    description: 'Null tries the channels of the content, else every channel in the default order.',
  }),
}

export const NotificationInput = Type.Object(
  {
    name: shared.name,
    content: ContentInput,
    tags: Type.Optional(shared.tags),
    brand: Type.Optional(shared.brand),
    subscription: Type.Optional(shared.subscription),
    routing: Type.Optional(shared.routing),
    alias: Type.Optional(nullable(id('A second name to send it by.'))),
    settings: Type.Optional(NotificationSettings),
  },
  { title: 'NotificationInput', description: 'A notification as it is written.' },
)
export type NotificationInput = Static<typeof NotificationInput>

export const NotificationWrite = Type.Object(
  { notification: NotificationInput, state: Type.Optional(NotificationState) },
  { title: 'NotificationWrite', description: 'A notification and whether it is published at once.' },
)
export type NotificationWrite = Static<typeof NotificationWrite>

const recordFields = {
  id: Type.String({ description: 'The notification id.' }),
  state: NotificationState,
  created: moment('When it was created.'),
  creator: Type.String({ description: 'The key that created it.' }),
  updated: Type.Optional(moment('When it last changed.')),
  updater: Type.Optional(Type.String({ description: 'The key that last changed it.' })),
}

export const Notification = Type.Object(
  {
    ...recordFields,
    ...shared,
    content: NotificationContent,
    alias: Type.Optional(Type.String({ description: 'A second name to send it by.' })),
    settings: NotificationSettings,
    version: Type.String({ description: 'The version shown: `draft`, or a published one such as `v3`.' }),
  },
  { title: 'Notification', description: 'A notification with its content.' },
)
export type Notification = Static<typeof Notification>

export const NotificationSummary = Type.Object(
  {
    ...recordFields,
    name: shared.name,
    alias: Type.Optional(Type.String({ description: 'A second name to send it by.' })),
    title: Type.String({ description: 'The name again, as older clients read it.' }),
    created_at: moment('`created` again, as older clients read it.'),
    updated_at: moment('`updated` again, as older clients read it; `created` when it never changed.'),
    routing: Type.Object(
      {
        method: RoutingMethod,
        channels: Type.Array(Type.String(), { description: 'The channels in order.' }),
      },
      { description: 'The routing in force.' },
    ),
    tags: Type.Union(
      [
        Type.Array(Type.String()),
        Type.Object({
          data: Type.Array(
            Type.Object({
              id: Type.String({ description: 'The tag.' }),
              name: Type.String({ description: 'The tag.' }),
            }),
          ),
        }),
        Type.Null(),
      ],
      { description: 'The tags.' },
    ),
    topic_id: Type.Union([Type.String(), Type.Null()], { description: 'The topic; null for none.' }),
    note: Type.Optional(text('A note of its author.')),
  },
  { title: 'NotificationSummary', description: 'A notification as lists show it.' },
)
export type NotificationSummary = Static<typeof NotificationSummary>

export const NotificationVersion = Type.Object(
  {
    version: Type.String({ description: '`draft`, or a published version such as `v3`.' }),
    created: moment('When it was published or, for the draft, last changed.'),
    creator: Type.String({ description: 'The key that made it.' }),
    has_changes: Type.Optional(
      Type.Boolean({ description: 'Of the draft: whether it differs from what is published.' }),
    ),
  },
  { title: 'NotificationVersion', description: 'One version of a notification.' },
)
export type NotificationVersion = Static<typeof NotificationVersion>

const params = Type.Object({ id: id('The notification id or its alias.') })
const version = Type.Object({
  version: Type.Optional(text('`draft`, `published` or a version such as `v3`. Default: published, else the draft.')),
})

const example = { id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA' }
const content = {
  version: '2022-01-01',
  elements: [
    { type: 'meta', title: 'Welcome, {name}' },
    { type: 'text', content: 'Good to see you.' },
  ],
}
const written = {
  name: 'Welcome',
  tags: ['onboarding'],
  brand: null,
  subscription: null,
  routing: { method: 'single', channels: ['email', 'sms'] },
  content,
}
const made = { state: 'PUBLISHED', created: 1_710_334_643_000, creator: 'key/default' }
const rewritten = { updated: 1_710_421_043_000, updater: 'key/default' }
const record = { id: example.id, ...made, ...written, settings: {}, version: 'v1' }

export default resource({
  name: 'notifications',
  position: 220,
  title: 'Notifications',
  description: 'Templates: content in Elemental JSON, routing and settings, as a draft and in published versions.',
  operations: [
    operation({
      id: 'notifications.list',
      method: 'GET',
      path: '/notifications',
      summary: 'List notifications',
      description: 'Newest first; archived ones are left out.',
      query: Type.Object({
        ...pageQuery(notificationsPage),
        notes: Type.Optional(Type.Boolean({ description: 'True adds the notes of the authors.' })),
        event_id: Type.Optional(text('Only the notification this event is mapped to.')),
      }),
      replies: {
        200: Type.Object({
          paging: Paging,
          results: Type.Array(NotificationSummary, { maxItems: pageMax }),
        }),
      },
      example: {
        reply: {
          paging: { more: false },
          results: [
            {
              id: example.id,
              ...made,
              name: 'Welcome',
              title: 'Welcome',
              created_at: 1_710_334_643_000,
              updated_at: 1_710_334_643_000,
              routing: { method: 'single', channels: ['email', 'sms'] },
              tags: ['onboarding'],
              topic_id: null,
            },
          ],
        },
      },
    }),
    operation({
      id: 'notifications.create',
      method: 'POST',
      path: '/notifications',
      summary: 'Create a notification',
      audit: 'notification:created',
      description: 'A draft unless `state` is `PUBLISHED`.',
      body: NotificationWrite,
      replies: { 201: Notification, 409: ErrorBody },
      example: { body: { notification: written, state: 'PUBLISHED' }, reply: record },
    }),
    operation({
      id: 'notifications.get',
      method: 'GET',
      path: '/notifications/:id',
      summary: 'Get a notification',
      params,
      query: version,
      replies: { 200: Notification, 404: ErrorBody },
      example: { params: example, reply: record },
    }),
    operation({
      id: 'notifications.replace',
      method: 'PUT',
      path: '/notifications/:id',
      summary: 'Replace a notification',
      audit: 'notification:updated',
      description: 'Writes the draft; with `state` `PUBLISHED` it is published in the same step.',
      params,
      body: NotificationWrite,
      replies: { 200: Notification, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: example,
        body: { notification: written, state: 'PUBLISHED' },
        reply: { ...record, ...rewritten },
      },
    }),
    operation({
      id: 'notifications.archive',
      method: 'DELETE',
      path: '/notifications/:id',
      summary: 'Archive a notification',
      audit: 'notification:archived',
      description: 'It can no longer be sent. Messages that used it can still be read.',
      params,
      replies: { 204: null, 404: ErrorBody },
      example: { params: example },
    }),
    operation({
      id: 'notifications.publish',
      method: 'POST',
      path: '/notifications/:id/publish',
      summary: 'Publish a notification',
      audit: 'notification:published',
      description: 'Publishes the draft or, with `version`, an earlier version again.',
      params,
      body: Type.Object({ version: Type.Optional(text('The version to publish: `draft` (default) or `v3`.')) }),
      bodyOptional: true,
      replies: { 204: null, 404: ErrorBody },
      example: { params: example, body: {} },
    }),
    operation({
      id: 'notifications.versions',
      method: 'GET',
      path: '/notifications/:id/versions',
      summary: 'List the versions of a notification',
      description: 'The draft first, then published versions, newest first.',
      params,
      query: Type.Object({
        ...pageQuery(versionsPage),
      }),
      replies: {
        200: Type.Object({ paging: Paging, versions: Type.Array(NotificationVersion) }),
        404: ErrorBody,
      },
      example: {
        params: example,
        reply: {
          paging: { more: false },
          versions: [
            { version: 'draft', created: 1_710_334_643_000, creator: 'key/default', has_changes: false },
            { version: 'v1', created: 1_710_334_643_000, creator: 'key/default' },
          ],
        },
      },
    }),
  ],
})
