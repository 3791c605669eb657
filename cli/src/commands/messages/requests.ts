/** `postrider requests …`: sends to many recipients, by the id that the send returned. */
import type { SendRequest } from '@postrider/client'
import { sourceText } from '@postrider/client/steps'
import { countText } from '../../count-text.ts'
import type { Resource } from '../../operations/resource.ts'
import { utcTime } from '../../plain.ts'
import { sheet } from '../../table.ts'

const ID = '1-691f0000-0000000000000000000000ab'

export const requests: Resource = {
  name: 'requests',
  description: 'Requests: sends to lists, audiences and tenants, each with many messages; show, pause and cancel them.',
  commands: [
    {
      name: 'list',
      operation: 'requests.list',
      columns: ['requestId', 'kind', 'event', 'status', 'enqueued', 'failures', 'created', 'notBefore', 'source'],
      examples: ['list', 'list --status PROCESSING --status PAUSED'],
    },
    { name: 'show', operation: 'requests.get', text: textOf, examples: [`show ${ID}`] },
    {
      name: 'pause',
      operation: 'requests.pause',
      text: textOf,
      examples: [`pause ${ID}`],
      help: 'Nothing is sent until the request is resumed. Calls of providers in progress end by themselves.',
    },
    { name: 'resume', operation: 'requests.resume', text: textOf, examples: [`resume ${ID}`] },
    {
      name: 'cancel',
      operation: 'requests.cancel',
      text: textOf,
      examples: [`cancel ${ID}`],
      help: 'Stops the request for good, before and while it runs. Messages that were sent stay sent. For a while: postrider requests pause.',
    },
    {
      name: 'archive',
      operation: 'requests.archive',
      done: 'Archived {request}',
      examples: [`archive ${ID}`],
    },
  ],
}

const byText = (source: string | undefined) => (source === undefined ? '' : ` by ${sourceText(source)}`)

function textOf(reply: unknown): string {
  const { requestId, kind, status, event, created, notBefore, source, stopped, stoppedBy, error, ...counts } =
    reply as SendRequest
  const stop = stopped === undefined ? undefined : `${utcTime(stopped)}${byText(stoppedBy)}`
  return sheet([
    ['request', requestId],
    ['kind', kind],
    ['event', event],
    ['status', status],
    [status === 'PAUSED' ? 'paused' : 'stopped', stop],
    ['created', `${utcTime(created)}${byText(source)}`],
    ['not before', notBefore === undefined ? undefined : utcTime(notBefore)],
    ['messages', counts.enqueued],
    ...counts.statuses.map(({ status: of, count }) => [`  ${of}`, count] as const),
    ['in delivery', counts.inDelivery > 0 ? countText(counts.inDelivery, 'message') : undefined],
    ['failures', counts.failures],
    ['archived', counts.archived ? 'yes' : undefined],
    ['error', error],
  ])
}
