/** The API on a database without an HTTP server, for commands: the caller is the operator, with all permissions. */
import type { KeyEnvironment } from '@postrider/contract'
import type { FastifyInstance } from 'fastify'
import { type Caller, createCallers, environmentOf, workspaceOf } from '../api/authentication.ts'
import { createHttpServer } from '../api/server.ts'
import { appContextOf, borrowContext } from '../app.ts'
import type { Log } from '../base/log.ts'
import { systemClock } from '../base/time/clock.ts'
import type { Config } from '../config.ts'
import type { Engine } from '../database/engine.ts'
import { refuseMoved } from '../database/tables/installation/installation.ts'
import { startPipeline } from '../messages/pipeline.ts'

export interface Offline {
  /** `fetch` without a network: calls are made as the operator in this environment; the API key is ignored. */
  fetchIn(environment: KeyEnvironment): typeof globalThis.fetch
  /** The database stays open. */
  close(): Promise<void>
}

/** Accepted messages wait for a server. The schema must be up to date. */
export async function openOffline(engine: Engine, config: Config, log: Log): Promise<Offline> {
  await refuseMoved(engine)
  const context = await borrowContext(engine, config, log, systemClock)
  const pipeline = await startPipeline({ ...context, works: false, leaseMs: 0, workspaceName: environmentOf })
  const app = appContextOf(context, pipeline, { serves: 'everything', notReady: async () => undefined })
  const callers = await createCallers(context)
  return {
    fetchIn: (environment) =>
      fetchFrom(
        createHttpServer({
          ...app,
          callers: { ...callers, ofConnection: () => operator(environment) },
        }),
      ),
    async close() {
      await pipeline.stop(0)
      await context.transport.close()
    },
  }
}

/** A `fetch` that calls the HTTP server in this process. */
function fetchFrom(http: FastifyInstance): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { pathname, search } = new URL(request.url)
    const { statusCode, headers, rawPayload } = await http.inject({
      method: request.method as 'GET',
      url: pathname + search,
      headers: Object.fromEntries(request.headers),
      payload: Buffer.from(await request.arrayBuffer()),
    })
    const body = statusCode === 204 || statusCode === 304 ? null : rawPayload
    return new Response(body, { status: statusCode, headers: headers as Record<string, string> })
  }
}

const operator = (environment: KeyEnvironment): Caller => ({
  ...{ keyId: '', keyName: 'operator', name: 'operator' },
  ...{ workspaceId: workspaceOf[environment], mode: 'live', kind: 'published', role: 'full' },
  expires: null,
})
