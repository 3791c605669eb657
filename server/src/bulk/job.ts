/** The message of a bulk job: read when the job is created, timed when it is run, masked when it is shown. */
import type { BulkJob, BulkMessage, MessageSend } from '@postrider/contract'
import { invalidRequest } from '../base/errors.ts'
import { isObject, merge } from '../base/json/json.ts'
import { maskTokens } from '../base/secret.ts'
import type { JobRow } from '../database/tables/messages/bulk-jobs.ts'
import { readDelay, readMessage } from '../messages/accept/read-send.ts'
import type { SharedInput } from '../messages/send.ts'
import type { RequestTargets } from '../recipients/fan-out-request.ts'

/** Either generation, or the second one level down. Its users come later. Throws a 400. */
export function readJob(
  definition: BulkMessage,
  now: number,
): { shared: SharedInput; addressing: Omit<RequestTargets, 'notBefore'> } {
  const message = { ...definition, ...definition.message } as BulkMessage
  const { event, template, content } = message
  if (!event && !template && !content)
    throw invalidRequest("The 'event' parameter is required.", { code: 'missing_field', param: 'message.event' })
  const { shared, marks } = readMessage({
    ...message,
    to: {},
    template: template ?? (content ? null : event),
  } as MessageSend)
  // Read now for its faults and its hours; the time that it waits counts from the run.
  const { openingHours } = readDelay(message.delay, now)
  const override = merge(definition.override ?? {}, shared.override)
  const { template: _stated, ...nameless } = shared
  const whole: SharedInput = {
    ...nameless,
    ...(event && { event }),
    ...(template && !content && { template }),
    ...(definition.brand && { brand: definition.brand }),
    ...(Object.keys(override).length > 0 && { override }),
    ...(openingHours && { openingHours }),
  }
  const { locale } = definition
  const locales = isObject(locale) ? (locale as Record<string, Record<string, unknown>>) : undefined
  return {
    shared: whole,
    addressing: {
      targets: [{ kind: 'bulk' }],
      marks,
      ...(message.delay && { delay: message.delay }),
      ...(locales && { locales }),
      definition,
    },
  }
}

/** The stored targets of a job that is run now. */
export function startedTargets(targets: string, now: number): string {
  const addressing = JSON.parse(targets) as RequestTargets
  const { notBefore } = readDelay(addressing.delay, now)
  return notBefore === undefined ? targets : JSON.stringify({ ...addressing, notBefore })
}

export function jobRecord({ targets, received, enqueued, failures, status }: JobRow): BulkJob {
  const definition = maskTokens((JSON.parse(targets) as RequestTargets).definition ?? {})
  return { definition, received, enqueued, failures, status: status as BulkJob['status'] }
}
