/** /notifications/:id/:submission_id/checks: what others say about a submission before it is published. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { operationsOf } from '../../api/resource.ts'
import { id, moment } from '../../api/values.ts'

/** Checks of one submission: people and programs that look at it. */
export const checksMax = 50

const params = Type.Object({
  id: id('The notification id or its alias.'),
  submission_id: id('The submission: a name of your own for what is to be looked at.'),
})

const check = {
  id: id('The check: a name of your own.'),
  type: Type.Literal('custom', { description: 'Always `custom`.' }),
  status: Type.Enum(['PENDING', 'RESOLVED', 'FAILED'], { description: 'How it stands.' }),
}

export const NotificationCheck = Type.Object(
  { ...check, updated: moment('When it was written.') },
  { title: 'NotificationCheck', description: 'One check of a submission.' },
)
export type NotificationCheck = Static<typeof NotificationCheck>

const Checks = Type.Object(
  { checks: Type.Array(NotificationCheck, { maxItems: checksMax, description: 'The checks in the order given.' }) },
  { title: 'NotificationChecks', description: 'The checks of a submission.' },
)

const example = { id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA', submission_id: 'review-7' }
const written = { id: 'legal', type: 'custom', status: 'RESOLVED' }
const reply = { checks: [{ ...written, updated: 1_710_334_643_000 }] }

export default operationsOf('notifications', [
  operation({
    id: 'notifications.checks',
    method: 'GET',
    path: '/notifications/:id/:submission_id/checks',
    summary: 'Get the checks of a submission',
    params,
    replies: { 200: Checks, 404: ErrorBody },
    example: { params: example, reply },
  }),
  operation({
    id: 'notifications.replaceChecks',
    method: 'PUT',
    path: '/notifications/:id/:submission_id/checks',
    summary: 'Replace the checks of a submission',
    description: 'Checks are kept for those who write and read them; publishing does not wait for them.',
    params,
    body: Type.Object({
      checks: Type.Array(Type.Object(check), { maxItems: checksMax, description: 'All checks of the submission.' }),
    }),
    replies: { 200: Checks, 404: ErrorBody },
    example: { params: example, body: { checks: [written] }, reply },
  }),
  operation({
    id: 'notifications.deleteChecks',
    method: 'DELETE',
    path: '/notifications/:id/:submission_id/checks',
    summary: 'Forget a submission',
    params,
    replies: { 204: null, 404: ErrorBody },
    example: { params: example },
  }),
])
