/** POST /notifications/inspect: validates a notification and lists its variables, without storing it. */
import { type Static, Type } from 'typebox'
import { operation } from '../../api/operation.ts'
import { operationsOf } from '../../api/resource.ts'
import { NotificationWrite } from './notifications.ts'

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

export default operationsOf('notifications', [
  operation({
    id: 'notifications.inspect',
    origin: 'postrider',
    readsPublicBody: true,
    method: 'POST',
    path: '/notifications/inspect',
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
])
