/** /notifications/:id/content and what is inside: elements, locales, and the blocks that older clients read. */
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
const elementId = id('The `id` of an element, else its place such as `1.0`.')
const state = Type.Optional(NotificationState)
const checksum = Type.String({ description: 'Changes when the words change.' })

const ContentElement = Type.Unsafe<{ type: string; id: string; checksum: string; [field: string]: unknown }>({
  type: 'object',
  title: 'ContentElement',
  description: 'An element with what tells it apart. Written back, its `checksum` is left out.',
  required: ['type', 'id', 'checksum'],
  additionalProperties: true,
  properties: {
    type: { type: 'string', description: '`text`, `meta`, `action`, `image`, `channel`, …' },
    id: {
      type: 'string',
      description: 'Its `id`, else its place: `1.0` is the first element in the second. Places move, ids stay.',
    },
    checksum: { type: 'string', description: 'MD5 of its words; changes when they change.' },
  },
})
const elements = Type.Array(ContentElement, { description: 'The elements in order.' })

const LocaleTexts = Type.Record(Type.String(), Type.String(), { description: 'Its words by locale.' })
const Subjects = Type.Record(
  Type.String(),
  Type.Object({
    subject: Type.Optional(text('The subject of a mail.')),
    title: Type.Optional(text('The title elsewhere.')),
  }),
  { description: 'Subject or title by locale.' },
)

export const ContentDetail = Type.Object(
  {
    version: Type.String({ description: 'The Elemental version: `2022-01-01`.' }),
    elements,
    blocks: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The element id.' }),
        type: Type.Enum(['text', 'action', 'image', 'divider', 'quote', 'list', 'template'], {
          description: 'The kind of block.',
        }),
        content: Type.Optional(Type.String({ description: 'Its words.' })),
        locales: Type.Optional(LocaleTexts),
        checksum,
      }),
      { description: 'The same as a flat list, as older clients read it.' },
    ),
    channels: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The channel.' }),
        type: Type.String({ description: 'The channel.' }),
        content: Type.Object(
          {
            subject: Type.String({ description: 'The subject of a mail; empty elsewhere.' }),
            title: Type.String({ description: 'The title elsewhere; empty in a mail.' }),
          },
          { description: 'What stands above the words.' },
        ),
        locales: Subjects,
        checksum,
      }),
      { description: 'What each channel puts above the words, as older clients read it.' },
    ),
    checksum: Type.String({ description: 'Changes when any words change.' }),
  },
  { title: 'ContentDetail', description: 'Content as elements, and as blocks and channels.' },
)
export type ContentDetail = Static<typeof ContentDetail>

const ContentMutation = Type.Object(
  {
    id: Type.String({ description: 'The notification id.' }),
    elements,
    state: NotificationState,
    version: Type.String({ description: 'The Elemental version.' }),
  },
  { title: 'ContentMutation', description: 'The content after the change.' },
)

export const Variations = Type.Object(
  {
    blocks: Type.Optional(
      Type.Array(Type.Object({ id: elementId, locales: Type.Optional(LocaleTexts) }), {
        maxItems: elementsMax,
        description: 'Words of elements by locale; other fields of a block are not read.',
      }),
    ),
    channels: Type.Optional(
      Type.Array(Type.Object({ id: id('The channel.'), locales: Type.Optional(Subjects) }), {
        maxItems: routingChannelsMax,
        description: 'Subject or title of channels by locale.',
      }),
    ),
  },
  { title: 'Variations', description: 'Translations of words that are there.' },
)
export type Variations = Static<typeof Variations>

const version = Type.Object({
  version: Type.Optional(text('`draft`, `published` or a version such as `v3`. Default: published, else the draft.')),
})

const example = { id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA' }
const content = { version: '2022-01-01', elements: [{ type: 'text', id: 'greeting', content: 'Good to see you.' }] }
const shown = [{ ...content.elements[0], type: 'text', id: 'greeting', checksum: '0cbc6611f5540bd0809a388dc95a615b' }]
const detail = {
  version: content.version,
  elements: shown,
  blocks: [
    { id: 'greeting', type: 'text', content: 'Good to see you.', locales: {}, checksum: shown[0]?.checksum ?? '' },
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
const mutation = { id: example.id, elements: shown, state: 'DRAFT', version: content.version }
const variations = { blocks: [{ id: 'greeting', locales: { de: 'Schön, dass du da bist.' } }] }
const Nothing = jsonObject('An empty object.')

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
    summary: 'Replace the content of a notification',
    audit: 'notification:updated',
    description: 'Everything else stays. With `state` `PUBLISHED` it is published in the same step.',
    params,
    body: Type.Object({ content: ContentInput, state }),
    replies: { 200: ContentMutation, 404: ErrorBody, 409: ErrorBody },
    example: { params: example, body: { content }, reply: mutation },
  }),
  operation({
    id: 'notifications.replaceElement',
    method: 'PUT',
    path: '/notifications/:id/elements/:element_id',
    summary: 'Replace an element of a notification',
    audit: 'notification:updated',
    description:
      'Of the draft. The fields of the element stand in `data` or beside `type`. Its id stays; while its type stays, so do elements inside it and locales that are not given.',
    params: Type.Object({ ...params.properties, element_id: elementId }),
    body: Type.Unsafe<{ type: string; [field: string]: unknown }>({
      type: 'object',
      required: ['type'],
      additionalProperties: true,
      properties: {
        type: { type: 'string', minLength: 1, description: 'The type of the element.' },
        data: { type: 'object', description: 'Its fields.' },
        if: { type: 'string', maxLength: conditionCharactersMax, description: 'Shown while this expression is true.' },
        loop: { type: 'string', maxLength: conditionCharactersMax, description: 'Shown once for each item of this.' },
        ref: { type: 'string', description: 'A name by which other elements ask whether it is shown.' },
        channels: { type: 'array', items: { type: 'string' }, description: 'Shown in these channels only.' },
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
    summary: 'Translate a notification',
    audit: 'notification:updated',
    description: 'Of the draft: what the named elements say in this locale; other elements keep what they say.',
    params: Type.Object({ ...params.properties, locale: text('A locale: `de`, `pt-BR`.') }),
    body: Type.Object({
      elements: Type.Array(
        Type.Unsafe<{ id: string; [field: string]: unknown }>({
          type: 'object',
          description: 'The fields of one element in this locale.',
          required: ['id'],
          additionalProperties: true,
          properties: { id: elementId },
        }),
        { maxItems: elementsMax, description: 'Elements and their fields in this locale.' },
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
    summary: 'Translate what is published',
    audit: 'notification:published',
    description: 'Adds locales to the published version and to the draft, and publishes the former.',
    params,
    body: Variations,
    replies: { 200: Nothing, 404: ErrorBody },
    example: { params: example, body: variations, reply: {} },
  }),
  operation({
    id: 'notifications.translateDraft',
    method: 'POST',
    path: '/notifications/:id/draft/variations',
    summary: 'Translate the draft',
    audit: 'notification:updated',
    params,
    body: Variations,
    replies: { 200: Nothing, 404: ErrorBody },
    example: { params: example, body: variations, reply: {} },
  }),
])
