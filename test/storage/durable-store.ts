/** The durable store on an engine and at a time of the test; every run in it is leased as `L`. */

import type { RunStore } from '@postrider/server/internal/automations/run-store'
import { createDurableStore } from '@postrider/server/internal/automations/runs/durable-store'
import { secretKey } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import { requestWrite } from '@postrider/server/internal/recipients/fan-out-request'
import { addressGuard } from '@postrider/server/internal/transport/address-guard'
import { createTransport } from '@postrider/server/internal/transport/transport'

export const durableStoreAt = (engine: Engine, at: number): RunStore =>
  createDurableStore({
    ...{ engine, requestWrite, now: () => at, secretKey: secretKey(Buffer.alloc(32, 7)) },
    transport: createTransport({ addresses: addressGuard(true, []), clock: { now: () => at } }),
    ...{ signal: new AbortController().signal, leaseOf: () => 'L', added: () => undefined, accepted: () => undefined },
  })
