/** Each request as a figure and, for those who look closely, as a line of the log: no ids, queries or bodies in either. */
import type { FastifyInstance } from 'fastify'
import { Histogram } from 'prom-client'
import type { HttpContext } from './context.ts'

const NAME = 'postrider_http_request_seconds'
// From a cached look-up to a client that waits for a commit under load.
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

export function measure(app: FastifyInstance, { metrics, log }: Pick<HttpContext, 'metrics' | 'log'>): void {
  const known = metrics.getSingleMetric(NAME) as Histogram<'operation' | 'status'> | undefined
  const seconds =
    known ??
    new Histogram({
      name: NAME,
      help: 'Time to answer a request, by operation and class of status.',
      labelNames: ['operation', 'status'],
      buckets: BUCKETS,
      registers: [metrics],
    })
  app.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.config.operation ?? 'none'
    const { statusCode: status, elapsedTime: ms } = reply
    seconds.observe({ operation, status: `${Math.floor(status / 100)}xx` }, ms / 1_000)
    if (log.isLevelEnabled('debug'))
      log.debug({ requestId: request.id, operation, status, ms: Math.round(ms) }, 'answered')
    done()
  })
}
