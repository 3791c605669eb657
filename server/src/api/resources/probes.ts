/** The server about itself: alive, ready, its figures, its documents. */
import { Readable } from 'node:stream'
import { openapi } from '@postrider/contract'
import { CallerError, forbidden, invalidRequest, notFound } from '../../base/errors.ts'
import { pauseDelete } from '../../database/tables/installation/pauses.ts'
import { environmentOf } from '../authentication/key-environment.ts'
import { type Call, done, type ResourceHandlers, success } from '../call.ts'
import { diagnose } from '../diagnostics.ts'
import { document, referencePage } from '../docs/pages.ts'

export const probes = {
  'service.livez': async () => success('service.livez', { status: 'ok' }),
  'service.readyz': async (_input, { house }) => {
    const reason = await house.notReady()
    // Probes repeat every few seconds while it lasts; the reason has its own line in the log.
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
    success('service.openapi', openapi({ version, url: publicUrl, samples: true })),
  'service.docs': async (_input, { house: { publicUrl } }) => referencePage(publicUrl),
  'service.document': async ({ params: { name } }, { house: { publicUrl } }) => {
    const found = document(name, publicUrl)
    if (!found) throw notFound()
    return found
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

/** Required by calls that concern every environment. */
const isOperator = ({ caller }: Call) => caller.mode === 'live' && environmentOf(caller.workspaceId) === 'production'
