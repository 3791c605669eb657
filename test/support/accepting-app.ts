/** The HTTP server with the real pipeline, which accepts, cancels and explains on the engine of the test, and delivers nothing. */
import type { Engine } from '@postrider/server'
import { createLog } from '@postrider/server/internal/base/log'
import { createMetrics } from '@postrider/server/internal/base/metrics'
import { tokenCipher } from '@postrider/server/internal/database/token-cipher'
import { type Pipeline, startPipeline } from '@postrider/server/internal/messages/pipeline'
import { providers } from '@postrider/server/internal/providers/catalog'
import { addressGuard } from '@postrider/server/internal/transport/address-guard'
import { createTransport } from '@postrider/server/internal/transport/transport'
import { appSecretKey, openRecordingApp, type RecordingApp } from './recording-app.ts'

export async function openAcceptingApp(engine: Engine): Promise<RecordingApp> {
  let pipeline: Pipeline
  const app = await openRecordingApp({
    pipeline: 'recording',
    engine,
    replace: {
      pipeline: {
        accept: (send) => pipeline.accept(send),
        cancel: (workspaceId, id) => pipeline.cancel(workspaceId, id),
        cancelMany: (...input) => pipeline.cancelMany(...input),
        explain: (...input) => pipeline.explain(...input),
        forecasts: (...input) => pipeline.forecasts(...input),
        changes: (...input) => pipeline.changes(...input),
      },
    },
  })
  const clock = { now: () => app.time.now }
  pipeline = await startPipeline({
    engine: { ...engine, tokens: tokenCipher(appSecretKey) },
    ...{ secretKey: appSecretKey, providers, clock, log: createLog('silent'), metrics: createMetrics() },
    transport: createTransport({ addresses: addressGuard(false, []), clock }),
    ...{ leaseMs: 45_000, works: false, workspaceName: String },
  })
  return {
    ...app,
    async stop() {
      await app.stop()
      await pipeline.stop(0)
    },
  }
}
