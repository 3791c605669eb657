/** /tracking: the settings; /o, /r, /t and /e: the addresses in messages, which count opens and clicks. */
import { notFound } from '../../../base/errors.ts'
import { isObject } from '../../../base/json/json.ts'
import { trackingSettings, trackingUpdate } from '../../../database/tables/workspace/settings.ts'
import { readJson } from '../../../providers/callback.ts'
import type { TrackedUse } from '../../../receipts/tracked-use.ts'
import { isFollowable, readToken, type TokenKind } from '../../../tracking/tracker.ts'
import { type CallContext, type HandlerReply, success } from '../../call.ts'
import { changesConfig, orNotFound, type ResourceHandlers, type SharedWork } from '../../outcome.ts'

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

function open(text: string, ctx: CallContext): SharedWork {
  const token = verifyToken('open', 'opened', text, ctx)
  if (!token) throw notFound()
  const reply = { status: 200, raw: { content: PIXEL, mediaType: 'image/gif' }, headers: UNCACHED }
  return counted(reply, { kind: 'opened', token, request: requestOf(ctx) }, ctx)
}

/** Also while the database is unavailable: a person follows the link, and the click is lost. */
function follow(text: string, ctx: CallContext): HandlerReply | SharedWork {
  const token = verifyToken('click', 'clicked', text, ctx)
  if (!token || !isFollowable(token.target)) return notMadeHere
  const reply = { status: 302, headers: { ...UNCACHED, location: new URL(token.target).href } }
  return counted(reply, { kind: 'clicked', token, request: requestOf(ctx) }, ctx)
}

const EVENTS: Readonly<Record<string, TrackedUse['kind']>> = {
  DELIVERED: 'delivered',
  OPENED: 'opened',
  READ: 'opened',
  CLICKED: 'clicked',
}

const REPORTED: HandlerReply = { status: 200, body: {} }

/** Apps repeat a report after an error: an unknown token is answered like any other. */
export const answerUnknownReport = (text: string, ctx: CallContext): HandlerReply | undefined =>
  verifyToken('event', 'reported', text, ctx) ? undefined : REPORTED

function report(text: string, ctx: CallContext): HandlerReply | SharedWork {
  const token = readToken(ctx.app.secretKey, 'event', text)
  const body = readJson(ctx.raw?.body ?? '')
  const kind = isObject(body) && typeof body.event === 'string' ? EVENTS[body.event] : undefined
  return token && kind ? counted(REPORTED, { kind, token }, ctx) : REPORTED
}

/** `kind`: as what it is counted when it is unknown; a push event says what it reports in its body only. */
function verifyToken(of: TokenKind, kind: TrackedUse['kind'] | 'reported', text: string, { app }: CallContext) {
  const token = readToken(app.secretKey, of, text)
  if (!token) app.metrics.tracked.inc({ kind, outcome: 'unknown' })
  return token
}

const counted = (reply: HandlerReply, use: TrackedUse, { app }: CallContext): SharedWork => ({
  reply,
  storeShared: () => app.uses.record(use),
  alone: () => ({ writes: app.uses.writes(use) }),
})

function requestOf({ raw }: CallContext): NonNullable<TrackedUse['request']> {
  const { method = '', headers = {} } = raw ?? {}
  return { method, headers }
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
