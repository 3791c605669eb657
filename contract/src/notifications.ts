/** /notifications: templates are written, published, read back and archived. */
import { Type } from 'typebox'
import { ErrorBody } from './errors.ts'
import { id, text } from './json.ts'
import { notificationsPage, pageMax, versionsPage } from './limits.ts'
import { Notification, NotificationSummary, NotificationVersion, NotificationWrite } from './notification.ts'
import { operation } from './operation.ts'
import { Paging, pageQuery } from './paging.ts'

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

export const notificationOperations = [
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
] as const
