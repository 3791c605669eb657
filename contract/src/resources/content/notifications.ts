/** /notifications: templates with their draft and published versions. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { conditionCharactersMax, pageMax, tagCharactersMax, tagsMax, versionsPage } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, name, nullable, text, timestamp } from '../../api/values.ts'
import { ContentInput, NotificationContent } from '../../shapes/content.ts'
import { missingVariableChoices, missingVariableMeaning } from '../../shapes/missing-variables.ts'
import { NotificationRouting, RoutingMethod } from '../../shapes/routing.ts'
import { TrackingSettings } from '../../shapes/tracking.ts'

export const notificationsPage = 50

export const NotificationSettings = Type.Object(
  {
    delivery_policy: Type.Optional(
      Type.Enum(['default', 'at_most_once'], {
        description:
          '`default`: an interrupted attempt is retried. `at_most_once`: an interrupted attempt is not retried, and no other provider follows; for messages of which a second one does harm.',
      }),
    ),
    on_missing_variable: Type.Optional(
      Type.Enum([...missingVariableChoices], {
        description: `Treatment of variables without a value. ${missingVariableMeaning} Absent: the setting \`on_missing_variable\` of the environment.`,
      }),
    ),
    category: Type.Optional(name('Category of the notification, for which recipients can have preferences.')),
    tracking: Type.Optional(TrackingSettings),
    if: Type.Optional(
      Type.String({
        maxLength: conditionCharactersMax,
        description: 'Condition: an expression that must be true for the notification to be sent.',
      }),
    ),
  },
  {
    title: 'NotificationSettings',
    description: 'Settings of a notification. Unknown settings are refused.',
    // A misspelled `delivery_policy` would send a one-time code twice.
    additionalProperties: false,
  },
)
export type NotificationSettings = Static<typeof NotificationSettings>

export const NotificationState = Type.Enum(['DRAFT', 'PUBLISHED'], {
  title: 'NotificationState',
  description:
    '`PUBLISHED` publishes the content immediately; `DRAFT` stores it as the draft, which keys of the kind `draft` use. With the header `Prefer: handling=strict`, content with an element that does not exist is not published (400).',
})
export type NotificationState = Static<typeof NotificationState>

const shared = {
  name: name('Display name.'),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: tagCharactersMax }), {
    maxItems: tagsMax,
    description: 'Tags for filtering.',
  }),
  brand: Type.Union([Type.Object({ id: id('The brand id.') }), Type.Null()], {
    description: 'Brand; null for the default brand of the workspace.',
  }),
  subscription: Type.Union([Type.Object({ topic_id: id('The topic id.') }), Type.Null()], {
    description: 'Topic that recipients can opt out of; null for none.',
  }),
  routing: Type.Union([NotificationRouting, Type.Null()], {
    description: 'Routing; null for the channels of the content, else every channel in the default order.',
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
    alias: Type.Optional(nullable(id('Alternative id for sends.'))),
    settings: Type.Optional(NotificationSettings),
  },
  { title: 'NotificationInput', description: 'A notification, in a request.' },
)
export type NotificationInput = Static<typeof NotificationInput>

export const NotificationWrite = Type.Object(
  { notification: NotificationInput, state: Type.Optional(NotificationState) },
  { title: 'NotificationWrite', description: 'A notification, and whether it is published.' },
)
export type NotificationWrite = Static<typeof NotificationWrite>

const recordFields = {
  id: Type.String({ description: 'The notification id.' }),
  state: NotificationState,
  created: timestamp('Time of creation.'),
  creator: Type.String({ description: 'API key that created the notification.' }),
  updated: Type.Optional(timestamp('Time of the last change.')),
  updater: Type.Optional(Type.String({ description: 'API key of the last change.' })),
}

export const Notification = Type.Object(
  {
    ...recordFields,
    ...shared,
    content: NotificationContent,
    alias: Type.Optional(Type.String({ description: 'Alternative id for sends.' })),
    settings: NotificationSettings,
    version: Type.String({ description: 'Version: `draft`, or a published version such as `v3`.' }),
  },
  { title: 'Notification', description: 'A notification with its content.' },
)
export type Notification = Static<typeof Notification>

export const NotificationSummary = Type.Object(
  {
    ...recordFields,
    name: shared.name,
    alias: Type.Optional(Type.String({ description: 'Alternative id for sends.' })),
    title: Type.String({ description: 'Alias of `name` for older clients.' }),
    created_at: timestamp('Alias of `created` for older clients.'),
    updated_at: timestamp('Alias of `updated` for older clients; `created` if the notification never changed.'),
    routing: Type.Object(
      {
        method: RoutingMethod,
        channels: Type.Array(Type.String(), { description: 'Channels, in order.' }),
      },
      { description: 'Routing in effect.' },
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
      { description: 'Tags.' },
    ),
    topic_id: Type.Union([Type.String(), Type.Null()], { description: 'Topic id; null for none.' }),
    note: Type.Optional(text('Note of the author.')),
  },
  { title: 'NotificationSummary', description: 'A notification in a list.' },
)
export type NotificationSummary = Static<typeof NotificationSummary>

export const NotificationVersion = Type.Object(
  {
    version: Type.String({ description: '`draft`, or a published version such as `v3`.' }),
    created: timestamp('Time of publishing; for the draft, of the last change.'),
    creator: Type.String({ description: 'API key that created the version.' }),
    has_changes: Type.Optional(
      Type.Boolean({ description: 'For the draft: whether it differs from the published version.' }),
    ),
  },
  { title: 'NotificationVersion', description: 'One version of a notification.' },
)
export type NotificationVersion = Static<typeof NotificationVersion>

const params = Type.Object({ id: id('The notification id or its alias.') })
const version = Type.Object({
  version: Type.Optional(text('`draft`, `published` or a version such as `v3`. Default: `published`, else `draft`.')),
})

const example = { id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA' }
const content = {
  version: '2022-01-01',
  elements: [
    { type: 'meta', title: 'Welcome, {name}' },
    { type: 'text', content: 'Good to see you.' },
  ],
}
const writeExample = {
  name: 'Welcome',
  tags: ['onboarding'],
  brand: null,
  subscription: null,
  routing: { method: 'single', channels: ['email', 'sms'] },
  content,
}
const createdExample = { state: 'PUBLISHED', created: 1_710_334_643_000, creator: 'key/default' }
const updatedExample = { updated: 1_710_421_043_000, updater: 'key/default' }
const record = { id: example.id, ...createdExample, ...writeExample, settings: {}, version: 'v1' }

/** Variables listed for one notification; a few dozen are usual. */
export const templateVariablesMax = 1_000

export const TemplateVariable = Type.Object(
  {
    path: Type.Array(Type.String(), {
      description: 'Path in `data`, from the outermost key. `[]` stands for every item of a list.',
    }),
    kind: Type.Enum(['text', 'list', 'object', 'any'], {
      description:
        '`text`: rendered as text. `list`: iterated by a loop. `object`: read by its keys. `any`: only used by a condition or a helper.',
    }),
    required: Type.Boolean({
      description: 'False if the variable is read only under a condition, or has a default.',
    }),
  },
  { title: 'TemplateVariable', description: 'A variable that a notification reads from `data`.' },
)
export type TemplateVariable = Static<typeof TemplateVariable>

export const NotificationInspection = Type.Object(
  {
    variables: Type.Array(TemplateVariable, {
      maxItems: templateVariablesMax,
      description:
        'Variables of the content, of every channel and locale, and of `settings.if`; objects before their keys.',
    }),
    snippets: Type.Array(Type.String(), {
      description: 'Snippets of the brand used by the notification; their variables are not listed.',
    }),
    warnings: Type.Array(Type.String(), {
      description:
        'Parts of the content that are not rendered as written, each with its path; and an email larger than Gmail shows.',
    }),
  },
  { title: 'NotificationInspection', description: 'Variables, snippets and warnings of a notification.' },
)
export type NotificationInspection = Static<typeof NotificationInspection>

export default resource({
  name: 'notifications',
  position: 220,
  title: 'Notifications',
  description: 'Templates: content in Elemental JSON, routing and settings, with a draft and published versions.',
  role: 'editor',
  impersonal: true,
  operations: [
    operation({
      id: 'notifications.list',
      method: 'GET',
      path: '/notifications',
      summary: 'List notifications',
      description: 'Newest first, without archived notifications.',
      query: Type.Object({
        ...pageQuery(notificationsPage),
        notes: Type.Optional(Type.Boolean({ description: 'Whether notes of the authors are included.' })),
        event_id: Type.Optional(text('Event; only its mapped notification is listed.')),
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
              ...createdExample,
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
      access: 'drafts',
      summary: 'Create a notification',
      audit: 'notification:created',
      description: 'Creates a draft unless `state` is `PUBLISHED`.',
      body: NotificationWrite,
      replies: { 201: Notification, 409: ErrorBody },
      example: { body: { notification: writeExample, state: 'PUBLISHED' }, reply: record },
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
      access: 'drafts',
      summary: 'Replace a notification',
      audit: 'notification:updated',
      description:
        'Replaces the draft; with `state` `PUBLISHED` the draft is published in the same call. Its entity tag is `updated` (`created` if it never changed) in quotes.',
      preconditions: ['unchanged'],
      params,
      body: NotificationWrite,
      replies: { 200: Notification, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: example,
        body: { notification: writeExample, state: 'PUBLISHED' },
        reply: { ...record, ...updatedExample },
      },
    }),
    operation({
      id: 'notifications.archive',
      method: 'DELETE',
      path: '/notifications/:id',
      summary: 'Archive a notification',
      audit: 'notification:archived',
      description: 'The notification can no longer be sent. Messages that used it remain readable.',
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
      description:
        'Publishes the draft or, with `version`, an earlier version. With the header `Prefer: handling=strict`, content with an element that does not exist is refused with 400.',
      params,
      body: Type.Object({ version: Type.Optional(text('Version to publish, such as `v3`. Default: `draft`.')) }),
      bodyOptional: true,
      replies: { 204: null, 404: ErrorBody },
      example: { params: example, body: {} },
    }),
    operation({
      id: 'notifications.restore',
      origin: 'postrider',
      method: 'POST',
      path: '/notifications/:id/restore',
      access: 'drafts',
      summary: 'Restore a version of a notification',
      audit: 'notification:updated',
      description:
        'Makes an earlier version the draft, as a version of its own; with `state` `PUBLISHED` it is published in the same call. `GET /notifications/:id?version=v3` shows what a version holds.',
      params,
      body: Type.Object(
        {
          version: text('Version to restore, such as `v3`, or `published`.'),
          state: Type.Optional(NotificationState),
        },
        { additionalProperties: false },
      ),
      replies: { 200: Notification, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: example,
        body: { version: 'v1' },
        reply: { ...record, ...updatedExample, state: 'DRAFT', version: 'draft' },
      },
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
    operation({
      id: 'notifications.inspect',
      origin: 'postrider',
      readsPublicBody: true,
      method: 'POST',
      path: '/notifications/inspect',
      access: 'key',
      summary: 'Check a notification and list its variables',
      description:
        'Accepts the body of a write without storing it. Returns 400 if the write would be refused or, with `state` `PUBLISHED`, if the notification could not be published.',
      body: NotificationWrite,
      replies: { 200: NotificationInspection },
      example: {
        body: {
          notification: {
            name: 'Order shipped',
            content: {
              version: '2022-01-01',
              elements: [
                { type: 'meta', title: 'Order {order.id} is on its way' },
                { type: 'text', loop: 'data.items', content: '{$.item.name}' },
                { type: 'text', if: 'data.note', content: '{note}' },
              ],
            },
          },
          state: 'PUBLISHED',
        },
        reply: {
          variables: [
            { path: ['order'], kind: 'object', required: true },
            { path: ['order', 'id'], kind: 'text', required: true },
            { path: ['items'], kind: 'list', required: true },
            { path: ['items', '[]'], kind: 'object', required: true },
            { path: ['items', '[]', 'name'], kind: 'text', required: true },
            { path: ['note'], kind: 'text', required: false },
          ],
          snippets: [],
          warnings: [],
        },
      },
    }),
  ],
})
