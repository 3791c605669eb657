/** /u and /p: the pages that links in messages lead to, and unsubscribing by one click. */
import { isErasedRecipient, stillKnown } from '../../../database/tables/erasure/erasures.ts'
import type { ChangeOrigin } from '../../../database/tables/preferences/preference-changes.ts'
import { changeChoices } from '../../../database/tables/preferences/preferences.ts'
import { pseudonymOf } from '../../../erasure/redact.ts'
import { formToken, readSubmission } from '../../../preference-page/form.ts'
import { noticePage, type PageDocument, preferencePage } from '../../../preference-page/page.ts'
import { chooserOf, type PageData, readPageData } from '../../../preference-page/page-data.ts'
import { type Submitted, submitted } from '../../../preference-page/submit.ts'
import { textsFor } from '../../../preference-page/texts.ts'
import {
  type LinkedMessage,
  type RecipientLinkKind,
  readRecipientLink,
  SAMPLE,
} from '../../../preferences/recipient-links.ts'
import { type CallContext, callerAddress, type HandlerReply } from '../../call.ts'
import { type HandlerWork, otherwise, type ResourceHandlers } from '../../outcome.ts'
import { createLinkChangeLimit } from '../../rate-limit.ts'

export const preferencePages = {
  'preferencePages.showUnsubscribe': ({ params: { token } }, ctx) => show('unsubscribe', token, ctx),
  'preferencePages.unsubscribe': ({ params: { token } }, ctx) => submit('unsubscribe', token, ctx),
  'preferencePages.show': ({ params: { token } }, ctx) => show('preferences', token, ctx),
  'preferencePages.save': ({ params: { token } }, ctx) => submit('preferences', token, ctx),
} satisfies ResourceHandlers<'preferencePages'>

/** Reads only: mail services open links to look for malware. */
async function show(kind: RecipientLinkKind, token: string, ctx: CallContext): Promise<HandlerReply> {
  const { app } = ctx
  const link = readRecipientLink(app.secretKey, kind, token)
  if (!link) return withoutLink(token, ctx)
  if (await isErased(link, ctx)) return erasedPage(ctx)
  const data = await readPageData(app.database, link)
  const shown = { sections: data.sections, notice: undefined, earlier: [] }
  return page(pageOf(kind, token, link, data, shown, ctx))
}

/** The reply is sent when the change is committed. */
async function submit(kind: RecipientLinkKind, token: string, ctx: CallContext): Promise<HandlerWork> {
  const { app, now, raw } = ctx
  const link = readRecipientLink(app.secretKey, kind, token)
  if (!link || !raw) return { reply: withoutLink(token, ctx), writes: [] }
  if (await isErased(link, ctx)) return { reply: erasedPage(ctx), writes: [] }
  const contentType = ctx.header('content-type')?.toLowerCase() ?? ''
  const submission = readSubmission(app.secretKey, { link: token, body: raw.body, contentType, now })
  const data = await readPageData(app.database, link)
  const result = submitted(submission, link, data)
  const isChange = result.put.length > 0 || result.remove.length > 0
  // One click is never refused: it changes something only after another change.
  if (isChange && submission.kind !== 'one_click') limitChanges(token, ctx)
  const source = submission.kind === 'one_click' ? 'one_click' : 'page'
  const origin: ChangeOrigin = { source, actor: 'recipient', messageId: link.messageId, ...browserOf(ctx) }
  return {
    reply: page(pageOf(kind, token, link, data, result, ctx)),
    writes: isChange
      ? [...stillKnown(personOf(link, ctx)), ...changeChoices(chooserOf(link), result, { origin, now })]
      : [],
    // The person is erased since the page was read.
    onConflict: otherwise(() => erasedPage(ctx)),
  }
}

function pageOf(
  kind: RecipientLinkKind,
  token: string,
  link: LinkedMessage,
  data: PageData,
  { sections, notice, earlier }: Pick<Submitted, 'sections' | 'notice' | 'earlier'>,
  ctx: CallContext,
): PageDocument {
  const topic = sections.flatMap(({ topics }) => topics).find(({ id }) => id === link.topicId)
  const isFocus = kind === 'unsubscribe' && topic?.isOn === true && !topic.isRequired
  return preferencePage({
    texts: textsFor(data.locale, ctx.header('accept-language')),
    brand: data.brand,
    name: data.name,
    ...{ sections, notice, earlier },
    focus: isFocus ? topic : undefined,
    formToken: formToken(ctx.app.secretKey, token, ctx.now),
    undoToken: formToken(ctx.app.secretKey, token, ctx.now, earlier),
  })
}

/** One for each server of a process. */
const limits = new WeakMap<object, ReturnType<typeof createLinkChangeLimit>>()

/** Throws a 429 for a change too many. */
function limitChanges(token: string, { app: { metrics }, now }: CallContext): void {
  const limit = limits.get(metrics) ?? createLinkChangeLimit()
  limits.set(metrics, limit)
  limit(token, now)
}

/** An old link must not store anew a person who was erased. */
const isErased = (link: LinkedMessage, ctx: CallContext): Promise<boolean> =>
  isErasedRecipient(ctx.app.database, personOf(link, ctx))

const personOf = ({ workspaceId, userId, messageId }: LinkedMessage, { app }: CallContext) => ({
  ...{ workspaceId, messageId, person: userId },
  pseudonym: pseudonymOf(app.secretKey, workspaceId, userId),
})

const plainAppearance = (ctx: CallContext) => ({
  texts: textsFor(undefined, ctx.header('accept-language')),
  ...{ brand: undefined, name: '' },
})

const erasedPage = (ctx: CallContext): HandlerReply => page(noticePage(plainAppearance(ctx), 'erased'))

/** Undefined for a link that was given out. */
export const answerUnknownLink = (
  kind: RecipientLinkKind,
  token: string,
  ctx: CallContext,
): HandlerReply | undefined => (readRecipientLink(ctx.app.secretKey, kind, token) ? undefined : withoutLink(token, ctx))

/** The same for every link that is not one, so that nothing can be learned from it. */
function withoutLink(token: string, ctx: CallContext): HandlerReply {
  const appearance = plainAppearance(ctx)
  if (token === SAMPLE) return page(noticePage(appearance, 'sample'))
  return { ...page(noticePage(appearance, 'invalid')), status: 404 }
}

const page = ({ html, policy }: PageDocument): HandlerReply => ({
  status: 200,
  raw: { content: html, mediaType: 'text/html; charset=utf-8' },
  headers: {
    'content-security-policy': policy,
    'x-robots-tag': 'noindex, nofollow',
    // The address is the permission: it goes to no other site and into no cache.
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  },
})

const USER_AGENT_MAX = 300

function browserOf(ctx: CallContext): Pick<ChangeOrigin, 'ip' | 'userAgent'> {
  return {
    ip: callerAddress(ctx) || undefined,
    userAgent: ctx.header('user-agent')?.slice(0, USER_AGENT_MAX).toWellFormed(),
  }
}
