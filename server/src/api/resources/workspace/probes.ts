/** Probes, Prometheus metrics, documents, diagnostics and maintenance of a server. */
import { Readable } from 'node:stream'
import { CallerError, forbidden, invalidRequest, notFound } from '../../../base/errors.ts'
import { pauseDelete } from '../../../database/tables/installation/installation.ts'
import { diagnose } from '../../../installation/diagnostics.ts'
import { environmentOf } from '../../authentication.ts'
import { type CallContext, done, type HandlerReply, signInContext, success } from '../../call.ts'
import { document, openapiDocument, referencePage, searchPage } from '../../docs/documents.ts'
import type { ResourceHandlers } from '../../outcome.ts'

export const probes = {
  'service.livez': async () => success('service.livez', { status: 'ok' }),
  'service.readyz': async (_input, { app }) => {
    const reason = await app.service.notReady()
    // Probes repeat every few seconds while it lasts; the reason has its own line in the log.
    if (reason !== undefined)
      throw new CallerError('service_unavailable', `Not ready: ${reason}`, { retryAfterSeconds: 1, logged: false })
    return success('service.readyz', { status: 'ok', ...(app.service.pause.since !== undefined && { paused: true }) })
  },
  'service.metrics': async (
    _input,
    {
      app: {
        metrics: { registry },
      },
    },
  ) => ({
    status: 200,
    raw: { content: await registry.metrics(), mediaType: registry.contentType },
  }),
  'service.openapi': async (_input, ctx) => orThrow(openapiDocument(ctx)),
  'service.docs': async (_input, ctx) => orThrow(referencePage(ctx)),
  'service.document': async ({ params: { name }, query: { q = '' } }, ctx) =>
    name === 'search' ? searchPage(q, ctx) : orThrow(document(name, ctx)),
  'service.diagnostics': async (_input, ctx) =>
    success('service.diagnostics', {
      checks: await diagnose(ctx.app.database, {
        ...signInContext(ctx),
        openNameRecords: ctx.app.network.openNameRecords,
      }),
    }),
  'service.resume': async (_input, ctx) => {
    if (!isOperator(ctx))
      throw forbidden('production_key_required', 'Only a published key of production can resume deliveries')
    return {
      reply: success('service.resume', done),
      writes: [pauseDelete],
      afterCommit: () => ctx.app.service.pause.notifyEnd(),
    }
  },
  'service.backup': async (_input, ctx) => {
    const { backup } = ctx.app.service
    if (!isOperator(ctx))
      throw forbidden('production_key_required', 'Only a published key of production can copy the database')
    if (!backup) throw invalidRequest('The database is a PostgreSQL server of its own; copy it with pg_dump')
    return { status: 200, raw: { content: Readable.from(backup.copy()), mediaType: 'application/gzip' } }
  },
} satisfies ResourceHandlers<'service'>

function orThrow(reply: HandlerReply | undefined): HandlerReply {
  if (!reply) throw notFound()
  return reply
}

/** Required by calls that concern every environment. */
const isOperator = ({ caller }: CallContext) =>
  caller.mode === 'live' && environmentOf(caller.workspaceId) === 'production'
