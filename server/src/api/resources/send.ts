/** POST /send: one message, or a request for many. */
import type { InputOf, MessageSend } from '@postrider/contract'
import { invalidRequest } from '../../base/errors.ts'
import { readDelay, readMessage, readSend } from '../../messages/accept/read-send.ts'
import { inlineNotification } from '../../messages/facts.ts'
import { type Accepted, completed, type Send, type SendInput } from '../../messages/send.ts'
import { readRecipients } from '../../recipients/read-recipients.ts'
import { ContentInvalid } from '../../templates/failure.ts'
import { type Call, type Reply, type ResourceHandlers, success } from '../call.ts'
import { inProgress, repeatedReply, replyUnreadable } from '../idempotency.ts'
import { request } from '../send-request.ts'
import { sendWarnings } from '../send-warnings.ts'
import { refuseProblems, refuseProblemsOfMany } from '../strict-sends.ts'

export const send = {
  'send.send': ({ body }, call) => ('message' in body ? sendMessage(body, call) : sendEvent(body, call)),
} satisfies ResourceHandlers<'send'>

type EventBody = Exclude<InputOf<'send.send'>['body'], { message: unknown }>
type MessageBody = Extract<InputOf<'send.send'>['body'], { message: unknown }>

function sendEvent(body: EventBody, call: Call): Promise<Reply> {
  const { notBefore, openingHours } = readDelay(body.delay, call.now)
  const input = readSend(body)
  if (openingHours) input.openingHours = openingHours
  const send: Send = Object.assign(placeOf(call), { input })
  if (notBefore !== undefined) send.notBefore = notBefore
  const accept = () =>
    call.house.pipeline
      .accept(send)
      .then((accepted) => answer(call, accepted, (messageId) => success('send.send', { messageId })))
  return call.strict ? refuseProblems(sendWarnings(body), send, call).then(accept) : accept()
}

async function sendMessage(body: MessageBody, call: Call): Promise<Reply> {
  const { message } = body
  const { shared, marks, notBefore, recipients } = readWhole(message, call)
  const delayed = notBefore === undefined ? {} : { notBefore }
  if (recipients.kind === 'many') {
    const addressing = { targets: recipients.targets, marks, ...delayed }
    return call.once(async (own) => {
      const planned = { shared, targets: recipients.targets, notBefore }
      if (call.strict) await refuseProblemsOfMany(sendWarnings(body), planned, call)
      return request(own, { kind: 'send', shared, addressing }, requested)
    })
  }
  const input = completed(shared, recipients.own)
  if (call.strict) await refuseProblems(sendWarnings(body), { input, ...delayed }, call)
  const accepted = await call.house.pipeline.accept(
    Object.assign(placeOf(call), {
      ...delayed,
      input,
      marks: input.tenantId === undefined ? marks : { ...marks, tenantId: input.tenantId },
      answers: 'requestId' as const,
    }),
  )
  return answer(call, accepted, requested)
}

const requested = (requestId: string): Reply => ({ status: 202, body: { requestId } })

/** A message as it is to be explained: for one recipient. */
export function inputOf(
  body: InputOf<'explain.explain'>['body'],
  call: Call,
): { input: SendInput; notBefore?: number } {
  if (!('message' in body)) {
    const { openingHours, ...timing } = readDelay(body.delay, call.now)
    return { input: { ...readSend(body), ...(openingHours && { openingHours }) }, ...timing }
  }
  const { shared, notBefore, recipients } = readWhole(body.message, call)
  if (recipients.kind === 'many') throw invalidRequest('Only a message to one recipient can be explained')
  return { input: completed(shared, recipients.own), ...(notBefore !== undefined && { notBefore }) }
}

function readWhole(message: MessageSend, call: Call) {
  const { shared, marks } = readMessage(message)
  const { notBefore, openingHours } = readDelay(message.delay, call.now)
  const recipients = readRecipients(message.to)
  if (shared.content) checkContent(shared.content)
  return { shared: { ...shared, ...(openingHours && { openingHours }) }, marks, notBefore, recipients }
}

/** Inline content is compiled before it is accepted: its author hears what is wrong with it. */
export function checkContent(content: Record<string, unknown>): void {
  try {
    inlineNotification(content)
  } catch (error) {
    if (error instanceof ContentInvalid) throw invalidRequest(`message.content: ${error.message}`, error)
    throw error
  }
}

export function placeOf({ caller, idempotency }: Call) {
  const place: Pick<Send, 'workspaceId' | 'mode' | 'idempotency'> = {
    workspaceId: caller.workspaceId,
    mode: caller.mode,
  }
  if (idempotency) place.idempotency = idempotency
  return place
}

/** The reply to what was accepted now, or then. */
export function answer(call: Call, accepted: Accepted, reply: (id: string) => Reply): Reply {
  if (accepted.kind === 'accepted') return reply(accepted.messageId)
  if (accepted.kind === 'replayed') return repeatedReply(call, { ...accepted, content: accepted.reply })
  throw accepted.kind === 'unreadable' ? replyUnreadable() : inProgress()
}
