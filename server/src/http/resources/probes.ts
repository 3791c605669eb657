/** The server about itself: alive, ready, its figures, its documents. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { openapi, operations, reference } from '@postrider/contract'
import MarkdownIt from 'markdown-it'
import { CallerError, forbidden, invalidRequest } from '../../base/errors.ts'
import { pauseDelete } from '../../database/tables/pauses.ts'
import { type Call, done, type Reply, type ResourceHandlers, success } from '../call.ts'
import { diagnose } from '../diagnostics.ts'
import { environmentOf } from '../environment.ts'

export const probes = {
  'service.livez': async () => success('service.livez', { status: 'ok' }),
  'service.readyz': async (_input, { house }) => {
    const reason = await house.notReady()
    // Asked every few seconds for as long as it lasts; the reason has its own line in the log.
    if (reason !== undefined)
      throw new CallerError(503, 'api_error', `Not ready: ${reason}`, { retryAfterSeconds: 1, logged: false })
    return success('service.readyz', { status: 'ok', ...(house.pause.since !== undefined && { paused: true }) })
  },
  'service.metrics': async (
    _input,
    {
      house: {
        metrics: { registry },
      },
    },
  ) => ({
    status: 200,
    raw: { content: await registry.metrics(), mediaType: registry.contentType },
  }),
  'service.openapi': async (_input, { house: { version, publicUrl } }) =>
    success('service.openapi', openapi({ version, url: publicUrl })),
  'service.docs': async () => {
    page ??= docs()
    return page
  },
  'service.diagnostics': async (_input, call) => success('service.diagnostics', { checks: await diagnose(call) }),
  'service.resume': async (_input, call) => {
    if (!isOperator(call)) throw forbidden('Only a published key of production can resume deliveries')
    const reply = success('service.resume', done)
    await call.keeping(reply)([pauseDelete])
    call.house.pause.announceEnd()
    return reply
  },
  'service.backup': async (_input, call) => {
    const { engine } = call.house
    if (!isOperator(call)) throw forbidden('Only a published key of production can copy the database')
    if (!engine.backup) throw invalidRequest('The database is a PostgreSQL server of its own; copy it with pg_dump')
    return { status: 200, raw: { content: Readable.from(engine.backup()), mediaType: 'application/gzip' } }
  },
} satisfies ResourceHandlers<'service'>

/** Of calls that concern every environment. */
const isOperator = ({ caller }: Call) => caller.mode === 'live' && environmentOf(caller.workspaceId) === 'production'

let page: Reply | undefined

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; color: #1c2024; background: #fff }
h2 { margin-top: 3rem; border-bottom: 1px solid #d9dde2 } h3 { margin-top: 2.5rem }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0 }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem; border-bottom: 1px solid #e6e9ed }
code { font: .9em ui-monospace, monospace; background: #f1f3f5; border-radius: 3px; padding: .1em .3em }
pre { background: #f1f3f5; border-radius: 6px; padding: .8rem; overflow-x: auto } pre code { padding: 0; background: none }
a { color: #0b57a8 }
@media (prefers-color-scheme: dark) {
  body { color: #dfe3e8; background: #14171a } code, pre { background: #22272c } a { color: #7db7f5 }
  h2, th, td { border-color: #30363c }
}`

/** Our own words only, so that HTML in them may stand. */
function docs(): Reply {
  const body = new MarkdownIt({ html: true }).render(reference(operations))
  const content = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Postrider API</title><style>${STYLE}</style></head><body>${body}</body></html>`
  const style = createHash('sha256').update(STYLE).digest('base64')
  return {
    status: 200,
    raw: { content, mediaType: 'text/html; charset=utf-8' },
    headers: {
      'content-security-policy': `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=300',
      // Who asks from another origin is told that it may (http/server.ts).
      vary: 'origin',
    },
  }
}
