/** Reads the status and history of every accepted message from the service after a campaign. */
import { setTimeout as pause } from 'node:timers/promises'
import { SECOND } from '@postrider/server/internal/base/time/duration'
import { apiCaller, mustCall } from '../support/api-client.ts'
import { checkLedger, type Rules } from './check-ledger.ts'
import type { Fleet } from './fleet.ts'
import { flawsOf, type HistoryEvent } from './history.ts'
import { isAccepted, type Ledger } from './ledger.ts'

export interface Audit {
  /** Accepted messages that are not DELIVERED at the end. */
  unfinished: string[]
  /** Histories that cannot be. */
  flaws: string[]
}

/** The last retry and the last takeover; nothing is accepted any more. */
const SETTLE_MS = 20 * SECOND
// An arrival is recorded at once; a longer wait would hide a stuck message.
const FINAL_MS = 10 * SECOND
const AT_ONCE = 12

/** Resolves when everything accepted has arrived, or when it is too late for it. */
export async function settled(ledger: Ledger, rules: Rules): Promise<void> {
  const deadline = Date.now() + rules.leaseMs + SETTLE_MS
  while (checkLedger(ledger, rules).lost.length > 0 && Date.now() < deadline) await pause(200)
}

export async function audit({ urls, apiKey }: Fleet, ledger: Ledger): Promise<Audit> {
  const findings: Audit = { unfinished: [], flaws: [] }
  const ids = [...new Set(ledger.calls.filter(isAccepted).map(({ messageId }) => messageId ?? ''))]
  const deadline = Date.now() + FINAL_MS
  const api = apiCaller(urls[0] ?? '', apiKey)
  const read = (path: string) => mustCall(api, 'GET', path)
  const look = async (id: string): Promise<void> => {
    let { status } = (await read(`/messages/${id}`)) as { status: string }
    while (status !== 'DELIVERED' && Date.now() < deadline) {
      await pause(200)
      status = ((await read(`/messages/${id}`)) as { status: string }).status
    }
    if (status !== 'DELIVERED') findings.unfinished.push(`${id} is ${status}`)
    const { results } = (await read(`/messages/${id}/history`)) as { results: HistoryEvent[] }
    for (const flaw of flawsOf(results)) findings.flaws.push(`${id} ${flaw}`)
  }
  const queue = ids.values()
  const reader = async () => {
    for (const id of queue) await look(id)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, reader))
  return findings
}
