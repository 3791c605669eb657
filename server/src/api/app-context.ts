/** The parts of the app that handlers and the HTTP server use; `server.ts` passes it in. */
import type { KeyEnvironment } from '@postrider/contract'
import type { RunStart } from '../automations/run.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { SecretKey } from '../base/secret.ts'
import type { Clock } from '../base/time/clock.ts'
import type { Engine } from '../database/engine.ts'
import type { Pipeline } from '../messages/pipeline.ts'
import type { Provider } from '../providers/provider.ts'
import type { Pause } from '../queue/pause.ts'
import type { AddressGuard } from '../transport/address-guard.ts'
import type { Transport } from '../transport/transport.ts'
import type { Callers } from './authentication.ts'
import type { RateLimits } from './rate-limit.ts'

export interface AppContext {
  version: string
  /** `probes`: only the operations of the service itself, for a node that works and takes no calls. */
  serves: 'everything' | 'probes'
  publicUrl: string
  log: Log
  clock: Clock
  engine: Engine
  /** A copy of the database; absent where its server has tools of its own. */
  backup?(): AsyncIterable<Uint8Array>
  callers: Callers
  secretKey: SecretKey
  providers: ReadonlyMap<string, Provider>
  addresses: Pick<AddressGuard, 'blockedReason'>
  transport: Pick<Transport, 'probe'>
  rateLimits: RateLimits
  /** Where sends are strict unless they say otherwise. */
  strictSends: ReadonlySet<KeyEnvironment>
  metrics: Pick<Metrics, 'registry' | 'requestSeconds'>
  /** Why it takes no work, as a sentence; undefined when it does. */
  notReady(): Promise<string | undefined>
  pause: Pause
  erasure: {
    /** There is an erasure to work on. */
    wake(): void
  }
  fanOut: {
    /** There is something to expand. */
    wake(): void
  }
  automations: {
    /** Resolves when the run is on disk; it has started then. */
    start(run: RunStart): Promise<void>
    /** There are runs to work on. */
    wake(): void
  }
  pipeline: Omit<Pipeline, 'wake' | 'stop' | 'stalled'>
}
