/** Calls whose token says before their body that they come to nothing: not a byte of it is read. */
import type { OperationId } from '@postrider/contract'
import type { CallContext, HandlerReply } from './call.ts'
import { refuseUnknownAddress } from './resources/messages/callbacks.ts'
import { answerUnknownReport } from './resources/messages/tracking.ts'
import { answerUnknownLink } from './resources/preferences/preference-pages.ts'

/** Undefined: the call goes on. */
type AnswerBeforeBody = (token: string, ctx: CallContext) => HandlerReply | undefined

export const answersBeforeBody: Partial<Record<OperationId, AnswerBeforeBody>> = {
  'callbacks.receive': refuseUnknownAddress,
  'preferencePages.save': (token, ctx) => answerUnknownLink('preferences', token, ctx),
  'preferencePages.unsubscribe': (token, ctx) => answerUnknownLink('unsubscribe', token, ctx),
  'tracking.report': answerUnknownReport,
  'tracking.reportUse': answerUnknownReport,
}
