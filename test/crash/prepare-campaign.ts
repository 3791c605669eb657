/** Sets up the database of a campaign: a notification by webhook to the recording provider, and old partitions to drop. */

import { createLog } from '@postrider/server/internal/base/log'
import { DAY } from '@postrider/server/internal/base/time/duration'
import { openLocal } from '@postrider/server/internal/database/local/local'
import { makePartitions } from '@postrider/server/internal/database/partitions'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { apiCaller, mustCall } from '../support/api-client.ts'
import type { Fleet, Place } from './fleet.ts'

/** Longer than any reply takes; a call that hangs fails with a timeout. */
export const REPLY_MS = 20_000

/** Starts every node, creates the event `crash`, and stops the last node again. */
export async function prepareCampaign(fleet: Fleet, providerUrl: string): Promise<void> {
  for (const [node] of fleet.urls.entries()) await fleet.start(node)
  if (fleet.faults.length > 0) throw new Error(fleet.faults.join('\n'))
  const [url = ''] = fleet.urls
  await defineCrash(url, fleet.apiKey, providerUrl)
  await fleet.stop(fleet.urls.length - 1)
}

/** A notification and event `crash` by webhook to `providerUrl`. */
export async function defineCrash(url: string, apiKey: string, providerUrl: string): Promise<void> {
  const api = apiCaller(url, apiKey, REPLY_MS)
  await mustCall(api, 'POST', '/providers', { provider: 'webhook', settings: { url: providerUrl } })
  const { id } = await mustCall(api, 'POST', '/notifications', {
    notification: {
      name: 'Crash',
      routing: { method: 'single', channels: ['webhook'] },
      content: { version: '2022-01-01', elements: [{ type: 'text', content: 'Number {send}' }] },
    },
    state: 'PUBLISHED',
  })
  await mustCall(api, 'PUT', '/events/crash', { id, type: 'notification' })
}

/** Weeks that ended long before the retention of 90 days. A local database must not be open elsewhere. */
export async function makeOldPartitions(place: Place): Promise<void> {
  const log = createLog('error')
  const engine =
    place.engine === 'local'
      ? await openLocal({ folder: place.folder, log })
      : await openPostgres({ address: { connectionString: place.url }, kind: 'server', connectionsMax: 1, log })
  try {
    await makePartitions(engine, Date.now() - 200 * DAY)
  } finally {
    await engine.close()
  }
}
