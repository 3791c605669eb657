/** /notifications/:id/content: elements, locales, and blocks for older clients. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { conditionCharactersMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { operationsOf } from '../../api/resource.ts'
import { id, jsonObject, text } from '../../api/values.ts'
import { ContentInput, elementsMax } from '../../shapes/content.ts'
import { routingChannelsMax } from '../../shapes/routing.ts'
import { NotificationState } from './notifications.ts'

const params = Type.Object({ id: id('The notification id or its alias.') })
const elementId = id('`id` of an element, else its position such as `1.0`.')
const state = Type.Optional(NotificationState)
const checksum = Type.String({ description: 'Checksum of the text; changes with the text.' })

const ContentElement = Type.Unsafe<{ type: string; id: string; checksum: string; [field: string]: unknown }>({
  type: 'object',
  title: 'ContentElement',
  description: 'An element with its id and checksum. In requests `checksum` is ignored.',
  required: ['type', 'id', 'checksum'],
  additionalProperties: true,
  properties: {
    type: { type: 'string', description: '`text`, `meta`, `action`, `image`, `channel`, …' },
    id: {
      type: 'string',
      description:
        '`id` of the element, else its position: `1.0` is the first element in the second. Positions can change, ids do not.',
    },
    checksum: { type: 'string', description: 'MD5 of the text; changes with the text.' },
  },
})
const elements = Type.Array(ContentElement, { description: 'Elements, in order.' })

const LocaleTexts = Type.Record(Type.String(), Type.String(), { description: 'Text by locale.' })
const Subjects = Type.Record(
  Type.String(),
  Type.Object({
    subject: Type.Optional(text('Subject of an email.')),
    title: Type.Optional(text('Title on other channels.')),
  }),
  { description: 'Subject or title by locale.' },
)

export const ContentDetail = Type.Object(
  {
    version: Type.String({ description: 'Elemental version: `2022-01-01`.' }),
    elements,
    blocks: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The element id.' }),
        type: Type.Enum(['text', 'action', 'image', 'divider', 'quote', 'list', 'template'], {
          description: 'Block type.',
        }),
        content: Type.Optional(Type.String({ description: 'Text of the block.' })),
        locales: Type.Optional(LocaleTexts),
        checksum,
      }),
      { description: 'The elements as a flat list, for older clients.' },
    ),
    channels: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The channel.' }),
        type: Type.String({ description: 'The channel.' }),
        content: Type.Object(
          {
            subject: Type.String({ description: 'Subject of an email; empty on other channels.' }),
            title: Type.String({ description: 'Title on other channels; empty for email.' }),
          },
          { description: 'Subject and title.' },
        ),
        locales: Subjects,
        checksum,
      }),
      { description: 'Subject and title by channel, for older clients.' },
    ),
    checksum: Type.String({ description: 'Checksum of the content; changes with any text.' }),
  },
  { title: 'ContentDetail', description: 'Content as elements, and as blocks and channels.' },
)
export type ContentDetail = Static<typeof ContentDetail>

const ContentMutation = Type.Object(
  {
    id: Type.String({ description: 'The notification id.' }),
    elements,
    state: NotificationState,
    version: Type.String({ description: 'Elemental version.' }),
  },
  { title: 'ContentMutation', description: 'The content after the change.' },
)

export const Variations = Type.Object(
  {
    blocks: Type.Optional(
      Type.Array(Type.Object({ id: elementId, locales: Type.Optional(LocaleTexts) }), {
        maxItems: elementsMax,
        description: 'Texts of elements by locale; other fields of a block are ignored.',
      }),
    ),
    channels: Type.Optional(
      Type.Array(Type.Object({ id: id('The channel.'), locales: Type.Optional(Subjects) }), {
        maxItems: routingChannelsMax,
        description: 'Subjects or titles of channels by locale.',
      }),
    ),
  },
  { title: 'Variations', description: 'Translations of existing texts.' },
)
export type Variations = Static<typeof Variations>

const version = Type.Object({
  version: Type.Optional(text('`draft`, `published` or a version such as `v3`. Default: `published`, else `draft`.')),
})

const example = { id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA' }
const content = { version: '2022-01-01', elements: [{ type: 'text', id: 'greeting', content: 'Good to see you.' }] }
const elementsExample = [
  { ...content.elements[0], type: 'text', id: 'greeting', checksum: '0cbc6611f5540bd0809a388dc95a615b' },
]
const detail = {
  version: content.version,
  elements: elementsExample,
  blocks: [
    {
      id: 'greeting',
      type: 'text',
      content: 'Good to see you.',
      locales: {},
      checksum: elementsExample[0]?.checksum ?? '',
    },
  ],
  channels: [
    {
      id: 'email',
      type: 'email',
      content: { subject: '', title: '' },
      locales: {},
      checksum: 'd41d8cd98f00b204e9800998ecf8427e',
    },
  ],
  checksum: '6d7fce9fee471194aa8b5b6e47267f03',
}
const mutation = { id: example.id, elements: elementsExample, state: 'DRAFT', version: content.version }
const variations = { blocks: [{ id: 'greeting', locales: { de: 'Schön, dass du da bist.' } }] }
const Empty = jsonObject('An empty object.')

export default operationsOf('notifications', [
  operation({
    id: 'notifications.content',
    method: 'GET',
    path: '/notifications/:id/content',
    summary: 'Get the content of a notification',
    params,
    query: version,
    replies: { 200: ContentDetail, 404: ErrorBody },
    example: { params: example, reply: detail },
  }),
  operation({
    id: 'notifications.draftContent',
    method: 'GET',
    path: '/notifications/:id/draft/content',
    summary: 'Get the draft content of a notification',
    params,
    replies: { 200: ContentDetail, 404: ErrorBody },
    example: { params: example, reply: detail },
  }),
  operation({
    id: 'notifications.replaceContent',
    method: 'PUT',
    path: '/notifications/:id/content',
    access: 'drafts',
    summary: 'Replace the content of a notification',
    audit: 'notification:updated',
    description:
      'Other parts of the notification are unchanged. With `state` `PUBLISHED` the draft is published in the same call.',
    params,
    body: Type.Object({ content: ContentInput, state }),
    replies: { 200: ContentMutation, 404: ErrorBody, 409: ErrorBody },
    example: { params: example, body: { content }, reply: mutation },
  }),
  operation({
    id: 'notifications.replaceElement',
    method: 'PUT',
    path: '/notifications/:id/elements/:element_id',
    access: 'drafts',
    summary: 'Replace an element of a notification',
    audit: 'notification:updated',
    description:
      'Changes the draft. The fields of the element are in `data` or beside `type`. The id is unchanged; if the type is unchanged, omitted nested elements and locales are unchanged too.',
    params: Type.Object({ ...params.properties, element_id: elementId }),
    body: Type.Unsafe<{ type: string; [field: string]: unknown }>({
      type: 'object',
      required: ['type'],
      additionalProperties: true,
      properties: {
        type: { type: 'string', minLength: 1, description: 'Type of the element.' },
        data: { type: 'object', description: 'Fields of the element.' },
        if: {
          type: 'string',
          maxLength: conditionCharactersMax,
          description: 'Condition: an expression that must be true for the element to be rendered.',
        },
        loop: {
          type: 'string',
          maxLength: conditionCharactersMax,
          description: 'Expression that returns a list; the element is rendered once for each item.',
        },
        ref: { type: 'string', description: 'Name for conditions of other elements.' },
        channels: {
          type: 'array',
          items: { type: 'string' },
          description: 'Channels to which the element is limited.',
        },
        state: NotificationState,
      },
    }),
    replies: { 200: ContentMutation, 404: ErrorBody, 409: ErrorBody },
    example: {
      params: { ...example, element_id: 'greeting' },
      body: { type: 'text', data: { content: 'Good to see you.' } },
      reply: mutation,
    },
  }),
  operation({
    id: 'notifications.replaceLocale',
    method: 'PUT',
    path: '/notifications/:id/locales/:locale',
    access: 'drafts',
    summary: 'Translate a notification',
    audit: 'notification:updated',
    description:
      'Changes the draft: sets the fields of the listed elements in this locale; other elements are unchanged.',
    params: Type.Object({ ...params.properties, locale: text('A locale: `de`, `pt-BR`.') }),
    body: Type.Object({
      elements: Type.Array(
        Type.Unsafe<{ id: string; [field: string]: unknown }>({
          type: 'object',
          description: 'Fields of one element in this locale.',
          required: ['id'],
          additionalProperties: true,
          properties: { id: elementId },
        }),
        { maxItems: elementsMax, description: 'Elements with their fields in this locale.' },
      ),
      state,
    }),
    replies: { 200: ContentMutation, 404: ErrorBody, 409: ErrorBody },
    example: {
      params: { ...example, locale: 'de' },
      body: { elements: [{ id: 'greeting', content: 'Schön, dass du da bist.' }] },
      reply: mutation,
    },
  }),
  operation({
    id: 'notifications.translate',
    method: 'POST',
    path: '/notifications/:id/variations',
    summary: 'Translate the published version',
    audit: 'notification:published',
    description: 'Adds locales to the published version and to the draft, and publishes the published version again.',
    params,
    body: Variations,
    replies: { 200: Empty, 404: ErrorBody },
    example: { params: example, body: variations, reply: {} },
  }),
  operation({
    id: 'notifications.translateDraft',
    method: 'POST',
    path: '/notifications/:id/draft/variations',
    access: 'drafts',
    summary: 'Translate the draft',
    audit: 'notification:updated',
    params,
    body: Variations,
    replies: { 200: Empty, 404: ErrorBody },
    example: { params: example, body: variations, reply: {} },
  }),
])
