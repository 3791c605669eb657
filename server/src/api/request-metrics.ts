/** Each request as a metric and, at debug level, as a log line: no ids, queries or bodies in either. */
import type { FastifyInstance } from 'fastify'
import { SECOND } from '../base/time/duration.ts'
import type { AppContext } from './app-context.ts'

/** Statuses by their hundreds: of each the text that the figure has. */
const CLASSES = ['', '1xx', '2xx', '3xx', '4xx', '5xx']

export function measure(app: FastifyInstance, { metrics, log }: Pick<AppContext, 'metrics' | 'log'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.config.operation ?? 'none'
    const { statusCode: status, elapsedTime: ms } = reply
    metrics.requestSeconds.observe({ operation, status: CLASSES[Math.floor(status / 100)] ?? '' }, ms / SECOND)
    if (log.isLevelEnabled('debug'))
      log.debug({ requestId: request.id, operation, status, ms: Math.round(ms) }, 'answered')
    done()
  })
}
