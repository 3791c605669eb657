/** Probes, Prometheus metrics, documents, diagnostics and maintenance of a server. */
import { hostname } from 'node:os'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { CallerError, forbidden, invalidRequest, notFound } from '../../../base/errors.ts'
import { SECOND } from '../../../base/time/duration.ts'
import { pauseDelete, pauseInsert } from '../../../database/tables/installation/installation.ts'
import { areMessagesLeased } from '../../../database/tables/messages/stopped-requests.ts'
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
    const { since } = app.service.pause
    return success('service.readyz', {
      status: 'ok',
      ...(since !== undefined && { paused: true, paused_since: since }),
    })
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
  'service.pause': async (_input, ctx) => {
    const { app, caller, now } = ctx
    requireOperator(ctx, 'pause deliveries')
    return {
      reply: success('service.pause', done),
      writes: [pauseInsert({ since: now, host: hostname(), source: caller.name })],
      async afterCommit() {
        await app.service.pause.changed()
        await waitForCalls(app)
      },
    }
  },
  'service.resume': async (_input, ctx) => {
    requireOperator(ctx, 'resume deliveries')
    return {
      reply: success('service.resume', done),
      writes: [pauseDelete],
      afterCommit: () => ctx.app.service.pause.changed(),
    }
  },
  'service.backup': async (_input, ctx) => {
    const { backup } = ctx.app.service
    requireOperator(ctx, 'copy the database')
    if (!backup) throw invalidRequest('The database is a PostgreSQL server of its own; copy it with pg_dump')
    return { status: 200, raw: { content: Readable.from(backup.copy()), mediaType: 'application/gzip' } }
  },
} satisfies ResourceHandlers<'service'>

/** How long a pause waits for calls in progress. */
const LAST_CALLS_MS = SECOND
const POLL_MS = 20

async function waitForCalls({ database, clock }: CallContext['app']): Promise<void> {
  for (const end = clock.now() + LAST_CALLS_MS; clock.now() < end; await sleep(POLL_MS))
    if (!(await areMessagesLeased(database, clock.now()))) return
}

function orThrow(reply: HandlerReply | undefined): HandlerReply {
  if (!reply) throw notFound()
  return reply
}

/** Such calls concern every environment. */
function requireOperator({ caller }: CallContext, action: string): void {
  if (caller.mode !== 'live' || environmentOf(caller.workspaceId) !== 'production')
    throw forbidden('production_key_required', `Only a published key of production can ${action}`)
}
