/** POST /send. */
import type { InputOf } from '@postrider/contract'
import { delayDurationMsMax } from '@postrider/contract'
import { MINUTE } from '../../base/duration.ts'
import { busy, invalidRequest } from '../../base/errors.ts'
import type { SendInput } from '../../pipeline/message.ts'
import { type Call, type ResourceHandlers, replay, success } from '../call.ts'

type SendBody = InputOf<'send.send'>['body']

export const send = {
  'send.send': async ({ body }, call) => {
    const { idempotency } = call
    const notBefore = body.delay ? notBeforeOf(body.delay, call.now) : undefined
    const accepted = await call.house.pipeline.accept({
      workspaceId: call.caller.workspaceId,
      mode: call.caller.mode,
      input: sendInput(body),
      ...(notBefore === undefined ? {} : { notBefore }),
      ...(idempotency ? { idempotency } : {}),
    })
    if (accepted.kind === 'accepted') return success('send.send', { messageId: accepted.messageId })
    if (accepted.kind === 'replayed') return replay(accepted.status, accepted.reply)
    throw busy('A call with this Idempotency-Key is in progress')
  },
} satisfies ResourceHandlers<'send'>

/** Parts that are null are absent. */
export function sendInput({ event, recipient, profile, data, brand, override, preferences }: SendBody): SendInput {
  return {
    event,
    recipient: String(recipient),
    ...(profile ? { profile } : {}),
    ...(data ? { data } : {}),
    ...(override ? { override } : {}),
    ...(preferences ? { preferences } : {}),
    ...(brand ? { brand } : {}),
  }
}

/** A duration ends with a whole minute, as in the public API. */
export function notBeforeOf(delay: NonNullable<SendBody['delay']>, now: Call['now']): number | undefined {
  if ('duration' in delay) return delay.duration === 0 ? undefined : Math.ceil((now + delay.duration) / MINUTE) * MINUTE
  const until = /^\d{4}-\d{2}-\d{2}/.test(delay.until) ? Date.parse(delay.until) : Number.NaN
  if (Number.isNaN(until)) throw invalidRequest('delay.until must be an ISO 8601 moment')
  if (until > now + delayDurationMsMax) throw invalidRequest('delay.until must be at most 90 days ahead')
  return until > now ? until : undefined
}
