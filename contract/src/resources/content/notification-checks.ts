/** /notifications/:id/:submission_id/checks: reviews of a submission before it is published. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { operationsOf } from '../../api/resource.ts'
import { id, timestamp } from '../../api/values.ts'

/** Checks of one submission: reviewers and programs. */
export const checksMax = 50

const params = Type.Object({
  id: id('The notification id or its alias.'),
  submission_id: id('Your own id of the submission.'),
})

const check = {
  id: id('Your own id of the check.'),
  type: Type.Literal('custom', { description: 'Always `custom`.' }),
  status: Type.Enum(['PENDING', 'RESOLVED', 'FAILED'], { description: 'Status of the check.' }),
}

export const NotificationCheck = Type.Object(
  { ...check, updated: timestamp('Time of the last change.') },
  { title: 'NotificationCheck', description: 'One check of a submission.' },
)
export type NotificationCheck = Static<typeof NotificationCheck>

const Checks = Type.Object(
  {
    checks: Type.Array(NotificationCheck, { maxItems: checksMax, description: 'Checks, in the order of the request.' }),
  },
  { title: 'NotificationChecks', description: 'The checks of a submission.' },
)

const example = { id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA', submission_id: 'review-7' }
const checkExample = { id: 'legal', type: 'custom', status: 'RESOLVED' }
const reply = { checks: [{ ...checkExample, updated: 1_710_334_643_000 }] }

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
    description: 'Checks are only stored; publishing does not wait for them.',
    params,
    body: Type.Object({
      checks: Type.Array(Type.Object(check), { maxItems: checksMax, description: 'All checks of the submission.' }),
    }),
    replies: { 200: Checks, 404: ErrorBody },
    example: { params: example, body: { checks: [checkExample] }, reply },
  }),
  operation({
    id: 'notifications.deleteChecks',
    method: 'DELETE',
    path: '/notifications/:id/:submission_id/checks',
    summary: 'Delete the checks of a submission',
    params,
    replies: { 204: null, 404: ErrorBody },
    example: { params: example },
  }),
])
