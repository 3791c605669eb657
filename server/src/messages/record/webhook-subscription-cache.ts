/** Caches for a second which workspaces have a webhook for messages, so that the others write no outbox rows. */
import { SECOND } from '../../base/time/duration.ts'
import type { Engine } from '../../database/engine.ts'
import { workspacesWithMessageWebhooks } from '../../database/tables/webhooks/webhook-outbox.ts'

export interface Listening {
  workspaces(): Promise<ReadonlySet<number>>
  forget(): void
}

const LIFETIME_MS = SECOND

export function createListening({ engine, now }: { engine: Engine; now(): number }): Listening {
  let known: { found: Promise<ReadonlySet<number>>; until: number } | undefined
  const forget = () => {
    known = undefined
  }
  return {
    forget,
    workspaces() {
      if (known && known.until > now()) return known.found
      const found = workspacesWithMessageWebhooks(engine)
      known = { found, until: now() + LIFETIME_MS }
      // A failure is not remembered.
      found.catch(forget)
      return found
    },
  }
}
