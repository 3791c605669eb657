/** POST /notifications/inspect: what a notification would be, and which variables it reads, without storing it. */
import { type Static, Type } from 'typebox'
import { operation } from '../../api/operation.ts'
import { operationsOf } from '../../api/resource.ts'
import { NotificationWrite } from './notifications.ts'

/** Variables that are listed of one notification: a send has a few dozen. */
export const templateVariablesMax = 1_000

export const TemplateVariable = Type.Object(
  {
    path: Type.Array(Type.String(), {
      description: 'Its keys in `data`, from the outermost one. `[]` stands for every item of a list.',
    }),
    kind: Type.Enum(['text', 'list', 'object', 'any'], {
      description:
        '`text`: written into the words. `list`: repeated by a loop. `object`: read by its keys. `any`: only asked for by a condition or a helper.',
    }),
    required: Type.Boolean({
      description: 'False when it is read only under a condition, or has a default: the words are whole without it.',
    }),
  },
  { title: 'TemplateVariable', description: 'A value that a notification reads from `data`.' },
)
export type TemplateVariable = Static<typeof TemplateVariable>

export const NotificationInspection = Type.Object(
  {
    variables: Type.Array(TemplateVariable, {
      maxItems: templateVariablesMax,
      description:
        'Those of its content, of every channel and locale, and of its `settings.if`; an object before its keys.',
    }),
    snippets: Type.Array(Type.String(), {
      description: 'Snippets of the brand that it mentions; the variables in those are not listed.',
    }),
    warnings: Type.Array(Type.String(), {
      description: 'Parts of the content that are not shown as they are written, each with its place.',
    }),
  },
  { title: 'NotificationInspection', description: 'What a notification reads, and what of it is not shown.' },
)
export type NotificationInspection = Static<typeof NotificationInspection>

export default operationsOf('notifications', [
  operation({
    id: 'notifications.inspect',
    origin: 'postrider',
    readsPublicBody: true,
    method: 'POST',
    path: '/notifications/inspect',
    summary: 'Check a notification and list its variables',
    description:
      'Takes the body of a write and stores nothing. 400 for what a write would refuse; with `state` `PUBLISHED` also for what cannot be published.',
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
])
