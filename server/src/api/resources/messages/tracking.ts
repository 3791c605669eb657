/** /tracking: the settings; /o, /r, /t and /e: the addresses in messages, which count opens and clicks. */

import { notFound } from '../../../base/errors.ts'
import { isObject } from '../../../base/json/json.ts'
import { trackingSettings, trackingUpdate } from '../../../database/tables/workspace/tracking.ts'
import { readJson } from '../../../providers/callback.ts'
import type { TrackedUse } from '../../../receipts/tracked-use.ts'
import { readToken, type TokenKind } from '../../../tracking/token.ts'
import { isFollowable } from '../../../tracking/tracker.ts'
import { type CallContext, type HandlerReply, success } from '../../call.ts'
import { changesConfig, orNotFound, type ResourceHandlers } from '../../outcome.ts'

export const tracking = {
  'tracking.get': async (_input, { app, caller }) =>
    success('tracking.get', await trackingSettings(app.database, caller.workspaceId)),
  'tracking.replace': ({ body }, { caller }) => ({
    reply: success('tracking.replace', body),
    writes: [trackingUpdate(caller.workspaceId, body)],
    onConflict: orNotFound,
    changesConfig,
  }),
  'tracking.open': ({ params: { token } }, ctx) => open(token, ctx),
  'tracking.click': ({ params: { token } }, ctx) => follow(token, ctx),
  'tracking.follow': ({ params: { token } }, ctx) => follow(token, ctx),
  'tracking.report': ({ params: { token } }, ctx) => report(token, ctx),
  'tracking.reportUse': ({ params: { token } }, ctx) => report(token, ctx),
} satisfies ResourceHandlers<'tracking'>

/** One transparent dot. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** Each request has to arrive here, and no search engine lists an address of a person. */
const UNCACHED = { 'cache-control': 'no-store, private', 'x-robots-tag': 'noindex' }

async function open(text: string, ctx: CallContext): Promise<HandlerReply> {
  const token = known('open', 'opened', text, ctx)
  if (!token) throw notFound()
  await record({ kind: 'opened', token }, ctx)
  return { status: 200, raw: { content: PIXEL, mediaType: 'image/gif' }, headers: UNCACHED }
}

/** Also while the database is unavailable: a person follows the link, and the click is lost. */
async function follow(text: string, ctx: CallContext): Promise<HandlerReply> {
  const token = known('click', 'clicked', text, ctx)
  if (!token || !isFollowable(token.target)) return notMadeHere
  await record({ kind: 'clicked', token }, ctx)
  return { status: 302, headers: { ...UNCACHED, location: new URL(token.target).href } }
}

const EVENTS: Readonly<Record<string, TrackedUse['kind']>> = {
  DELIVERED: 'delivered',
  OPENED: 'opened',
  READ: 'opened',
  CLICKED: 'clicked',
}

/** Apps repeat a report after an error: an unknown token is answered like any other. */
async function report(text: string, ctx: CallContext): Promise<HandlerReply> {
  const body = readJson(ctx.raw?.body ?? '')
  const kind = isObject(body) && typeof body.event === 'string' ? EVENTS[body.event] : undefined
  const token = kind && known('event', kind, text, ctx)
  if (token) await ctx.app.uses.record({ kind, token })
  return { status: 200, body: {} }
}

function known(of: TokenKind, kind: TrackedUse['kind'], text: string, { app }: CallContext) {
  const token = readToken(app.secretKey, of, text)
  if (!token) app.metrics.tracked.inc({ kind, outcome: 'unknown' })
  return token
}

function record(use: TrackedUse, { app, raw }: CallContext): Promise<void> {
  const { method = '', headers = {} } = raw ?? {}
  return app.uses.record({ ...use, request: { method, headers } })
}

/** For a person whose mail program cut the link. */
const notMadeHere: HandlerReply = {
  status: 404,
  raw: {
    content: 'This link does not work: it is incomplete, or was not made by this server.\n',
    mediaType: 'text/plain; charset=utf-8',
  },
  headers: UNCACHED,
}
