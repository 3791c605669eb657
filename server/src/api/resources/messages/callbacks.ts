/** /callbacks: receipts of providers, verified, then stored. */
import type { IncomingHttpHeaders } from 'node:http'
import { CallerError, notFound } from '../../../base/errors.ts'
import { receiptsInsert } from '../../../database/tables/messages/receipts.ts'
import {
  isKeepable,
  type UnrecognizedBounce,
  unrecognizedBounceInsert,
} from '../../../database/tables/messages/unrecognized-bounces.ts'
import { findStoredReply, replyWrite } from '../../../database/tables/workspace/idempotency-keys.ts'
import { findIntegration, openCredentials } from '../../../database/tables/workspace/integrations.ts'
import type { PostedMail, Receipt } from '../../../providers/callback.ts'
import { newReceipt, readCallback, readCallbackToken } from '../../../receipts/callback.ts'
import { rawMailIn, readInboundMail } from '../../../receipts/inbound-mail.ts'
import { effectsOf } from '../../../receipts/inbound-text.ts'
import { newUnrecognizedBounce } from '../../../receipts/unrecognized-mail.ts'
import type { CallContext, HandlerReply } from '../../call.ts'
import { changesConfig, type HandlerWork, otherwise, type ResourceHandlers, retry } from '../../outcome.ts'

export const callbacks = {
  'callbacks.receive': ({ params: { token } }, ctx) => receive(token, 'POST', ctx),
  'callbacks.verify': ({ params: { token } }, ctx) => receive(token, 'GET', ctx),
} satisfies ResourceHandlers<'callbacks'>

/** Throws a 404 for an address that was not made here. */
export function refuseUnknownAddress(token: string, { app }: CallContext): undefined {
  if (!readCallbackToken(app.secretKey, token)) throw notFound()
}

async function receive(token: string, method: 'GET' | 'POST', ctx: CallContext): Promise<HandlerReply | HandlerWork> {
  const { app, now, raw } = ctx
  const place = readCallbackToken(app.secretKey, token)
  const row = place && (await findIntegration(app.database, place.workspaceId, place.integrationId))
  const provider = row && app.providers.get(row.provider)
  if (!place || !row || !provider?.callbacks || !raw) throw notFound()
  const secrets = openCredentials(app.secretKey, { workspaceId: place.workspaceId, id: row.id }, row.secrets) ?? {}
  const request = {
    method,
    url: `${app.publicUrl}${raw.url}`,
    headers: flat(raw.headers),
    body: raw.body,
    now,
  }
  const outcome = await readCallback(provider, { ...row.settings, ...secrets }, request, {
    transport: app.network.transport,
    log: app.log,
  })
  app.metrics.callbacks.inc({ provider: provider.key, outcome: outcome.kind })
  if (outcome.kind === 'refused') {
    app.log.warn({ event: 'callback.refused', provider: provider.key, integration: row.id }, outcome.error)
    throw new CallerError('invalid_signature', outcome.error)
  }
  const repeated = text(outcome.reply)
  const marks = (outcome.once ?? []).map(({ mark, keptMs, content = '' }) => ({
    ...{ workspaceId: place.workspaceId, route: 'callbacks.receive', expires: now + keptMs },
    ...{ key: app.database.tokens.fingerprint(place.workspaceId, `${provider.key} ${mark}`), content },
  }))
  const used = await Promise.all(marks.map((mark) => findStoredReply(app.database, app.secretKey, mark, now)))
  const isOther = (reply: (typeof used)[number], at: number) =>
    reply !== undefined && !(reply !== 'unreadable' && marks[at]?.content && reply.content === marks[at].content)
  // Answered as the first time: a provider repeats a callback whose answer was lost.
  if (used.some(isOther)) {
    app.log.info({ event: 'callback.repeated', provider: provider.key, integration: row.id }, 'a callback came again')
    return repeated
  }
  const mail = outcome.mail && (await readMail(outcome.mail, place, ctx))
  const allReceipts = [
    ...outcome.receipts.map((receipt) => ({ ...receipt, integration: row.id })),
    // The token of a mail names its delivery, whichever integration passes it on.
    ...(mail?.receipts ?? []),
  ]
  const receipts = allReceipts.map((receipt) => newReceipt(place.workspaceId, receipt, now))
  const receiver = { workspaceId: place.workspaceId, id: row.id, provider: provider.key, settings: row.settings }
  const effects = (outcome.texts ?? []).map((text) => effectsOf(text, receiver, app.database.tokens, now))
  // Before the reply: a provider repeats a callback that was not answered, and the key of the answer is the same then.
  for (const { answer } of effects) if (answer) await app.pipeline.accept(answer)
  return {
    reply: text(outcome.reply),
    writes: [
      ...marks.flatMap(({ content, ...use }, at) =>
        used[at] ? [] : [replyWrite(app.secretKey, use, { status: 200, content }, now)],
      ),
      ...(receipts.length > 0 ? [receiptsInsert(receipts, now)] : []),
      ...(mail?.bounce ? [unrecognizedBounceInsert(mail.bounce)] : []),
      ...effects.flatMap(({ writes }) => writes),
    ],
    ...(effects.some(({ changesSuppressions }) => changesSuppressions) && { changesConfig }),
    // The same came at the same time: it is read again, with its mark.
    ...(marks.length > 0 && { onConflict: otherwise(() => retry('The same callback is being taken')) }),
    afterCommit: () => (receipts.length > 0 ? app.jobs.wake('receipts') : undefined),
  }
}

/** The rows that a posted mail leaves: of the workspace of the callback address, whose token holds for no other one. */
async function readMail(
  { contentType, body }: PostedMail,
  { workspaceId }: { workspaceId: number },
  { app, now }: CallContext,
): Promise<{ receipts: readonly Receipt[]; bounce?: UnrecognizedBounce }> {
  const raw = await rawMailIn(contentType, body)
  if (!raw)
    throw new CallerError(
      'invalid_request',
      'The body holds no mail: post it as it is, with `Content-Type: message/rfc822`',
    )
  const mail = await readInboundMail(app.secretKey, raw, { recipients: [] }, now)
  if (mail.kind === 'receipts') {
    app.metrics.inboundMails.inc({ outcome: 'accepted' })
    const inWorkspace = mail.receipts.filter((candidate) => candidate.workspaceId === workspaceId)
    return { receipts: inWorkspace.map(({ receipt }) => receipt) }
  }
  app.log.info({ event: 'mail.ignored', reason: mail.reason }, 'a mail was ignored')
  const bounce =
    mail.unrecognized?.workspaceId === workspaceId ? newUnrecognizedBounce(mail.unrecognized, now) : undefined
  const isKept = bounce !== undefined && (await isKeepable(app.database, bounce))
  app.metrics.inboundMails.inc({ outcome: isKept ? 'unrecognized' : 'ignored' })
  return { receipts: [], ...(isKept && { bounce }) }
}

const text = (content = ''): HandlerReply => ({ status: 200, raw: { content, mediaType: 'text/plain; charset=utf-8' } })

const flat = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )
