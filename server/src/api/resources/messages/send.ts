/** POST /send: one message, or a request for many. */
import type { InputOf, MessageSend } from '@postrider/contract'
import { invalidAt, invalidRequest } from '../../../base/errors.ts'
import { textsOf } from '../../../base/finding.ts'
import { timedId } from '../../../base/ids.ts'
import { zoneFindings } from '../../../base/time/zone-findings.ts'
import { unknownRoutes } from '../../../messages/accept/message-names.ts'
import { readDelay, readMessage, readSend } from '../../../messages/accept/read-send.ts'
import { keptMistakes, sendMistakes } from '../../../messages/accept/send-mistakes.ts'
import { inlineNotification } from '../../../messages/facts.ts'
import { completed, type SendInput } from '../../../messages/send.ts'
import { type FanOutRequest, requestWrite } from '../../../recipients/fan-out-request.ts'
import { readRecipients } from '../../../recipients/read-recipients.ts'
import { ContentInvalid } from '../../../templates/failure.ts'
import { type CallContext, type HandlerReply, success } from '../../call.ts'
import type { HandlerWork, ResourceHandlers, Sending, SendPlan } from '../../outcome.ts'
import { checkSendToMany, refuseProblems } from '../../strict-sends.ts'
import { warn } from '../../warnings.ts'

export const send = {
  'send.send': {
    plan: ({ body }, ctx) => {
      const mistakes = sendMistakes(body, ctx.now)
      warn(ctx, ...textsOf(mistakes))
      const kept = keptMistakes(mistakes)
      return 'message' in body ? sendMessage(body, kept, ctx) : sendEvent(body, kept, ctx)
    },
  },
} satisfies ResourceHandlers<'send'>

type EventBody = Exclude<InputOf<'send.send'>['body'], { message: unknown }>
type MessageBody = Extract<InputOf<'send.send'>['body'], { message: unknown }>

const accepted = (messageId: string) => success('send.send', { messageId })

type Kept = Pick<SendInput, 'findings'>

function sendEvent(body: EventBody, kept: Kept, ctx: CallContext): SendPlan<HandlerWork> {
  const { notBefore, openingHours } = readDelay(body.delay, ctx.now)
  const input = Object.assign(readSend(body), kept)
  if (openingHours) input.openingHours = openingHours
  const send: Sending['send'] = notBefore === undefined ? { input } : { input, notBefore }
  return planOf({ send, reply: accepted }, ctx)
}

function sendMessage(body: MessageBody, kept: Kept, ctx: CallContext): SendPlan<HandlerWork> {
  const { message } = body
  const { shared: sharedPart, marks, notBefore, recipients } = readWhole(message, ctx)
  const shared = Object.assign(sharedPart, kept)
  const delayed = notBefore === undefined ? {} : { notBefore }
  if (recipients.kind === 'many') {
    const { targets } = recipients
    const work = async () => {
      await checkSendToMany({ shared, targets, notBefore }, ctx)
      return request(ctx, { kind: 'send', shared, addressing: { targets, marks, ...delayed } }, requested)
    }
    return { kind: 'many', work }
  }
  const input = completed(shared, recipients.ownInput)
  const sending: Sending = {
    send: {
      ...delayed,
      input,
      marks: input.tenantId === undefined ? marks : { ...marks, tenantId: input.tenantId },
      answers: 'requestId',
    },
    reply: requested,
  }
  return planOf(sending, ctx)
}

function planOf(sending: Sending, ctx: CallContext): SendPlan<HandlerWork> {
  if (!ctx.strict) {
    const { input } = sending.send
    // A strict send is refused for the findings of its decision, which has the same ones.
    if (input.profile) warn(ctx, ...textsOf(zoneFindings(input.profile)))
    warn(ctx, ...unknownRoutes(input))
    return { kind: 'ready', sending }
  }
  const prepare = async () => {
    await refuseProblems(sending.send, ctx)
    return sending
  }
  return { kind: 'prepared', prepare }
}

const requested = (requestId: string): HandlerReply => ({ status: 202, body: { requestId } })

/** A message as it is to be explained: for one recipient. */
export function inputOf(
  body: InputOf<'explain.explain'>['body'],
  ctx: CallContext,
): { input: SendInput; notBefore?: number } {
  if (!('message' in body)) {
    const { openingHours, ...timing } = readDelay(body.delay, ctx.now)
    return { input: { ...readSend(body), ...(openingHours && { openingHours }) }, ...timing }
  }
  const { shared, notBefore, recipients } = readWhole(body.message, ctx)
  if (recipients.kind === 'many')
    throw invalidRequest('Only a message to one recipient can be explained', {
      code: 'invalid_field',
      param: 'message.to',
    })
  return { input: completed(shared, recipients.ownInput), ...(notBefore !== undefined && { notBefore }) }
}

function readWhole(message: MessageSend, ctx: CallContext) {
  const { shared, marks } = readMessage(message)
  const { notBefore, openingHours } = readDelay(message.delay, ctx.now, 'message.delay')
  const recipients = readRecipients(message.to)
  if (shared.content) checkContent(shared.content)
  return { shared: { ...shared, ...(openingHours && { openingHours }) }, marks, notBefore, recipients }
}

/** Inline content is compiled before it is accepted, so that the caller gets its errors. */
export function checkContent(content: Record<string, unknown>): void {
  try {
    inlineNotification(content)
  } catch (error) {
    if (error instanceof ContentInvalid)
      throw invalidAt('message.content', error.message, { code: 'invalid_content', cause: error })
    throw error
  }
}

/** A call that means many messages: a request on disk together with its reply, expanded afterwards. */
export function request(
  { app, caller, now }: CallContext,
  fanOut: Pick<FanOutRequest, 'kind' | 'shared' | 'addressing'>,
  replyOf: (id: string) => HandlerReply,
): HandlerWork {
  const id = timedId(now)
  const { workspaceId, mode } = caller
  return {
    reply: replyOf(id),
    writes: [
      requestWrite(app.database.tokens, { id, workspaceId, mode, created: now, source: caller.name, ...fanOut }),
    ],
    afterCommit: () => app.jobs.wake('fan-out'),
  }
}
