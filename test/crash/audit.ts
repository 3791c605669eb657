/** Reads the status and history of every accepted message from the service after a campaign. */
import { setTimeout as pause } from 'node:timers/promises'
import { type ApiCaller, apiCaller, mustCall } from '../support/api-client.ts'
import { checkLedger, type Rules } from './check-ledger.ts'
import { type Fleet, HANGS_MS } from './fleet.ts'
import { flawsOf, type HistoryEvent } from './history.ts'
import { isAccepted, type Ledger } from './ledger.ts'

export interface Audit {
  /** Accepted messages that are not DELIVERED at the end. */
  unfinished: string[]
  /** Histories that cannot be. */
  flaws: string[]
}

const AT_ONCE = 12

/** Resolves when everything accepted has arrived, by the last retry and the last takeover, or never will. */
export async function settled(ledger: Ledger, rules: Rules): Promise<void> {
  const deadline = Date.now() + rules.leaseMs + HANGS_MS
  while (checkLedger(ledger, rules).lost.length > 0 && Date.now() < deadline) await pause(200)
}

/** Resolves when a node has recorded the outcomes of replies since then, or has ended. */
export async function recorded(fleet: Fleet, node: number, { receipts }: Ledger, since: number): Promise<void> {
  const replies = receipts.filter(({ at, replied = at, status }) => replied >= since && status === 200)
  const api = apiCaller(fleet.urls[node] ?? '', fleet.apiKey)
  const deadline = Date.now() + HANGS_MS
  await forEach(new Set(replies.map(({ messageId }) => messageId)), (id) =>
    endStatus(api, id, () => fleet.isUp(node) && Date.now() < deadline).catch(() => undefined),
  )
}

export async function audit({ urls, apiKey }: Fleet, ledger: Ledger): Promise<Audit> {
  const findings: Audit = { unfinished: [], flaws: [] }
  const ids = new Set(ledger.calls.filter(isAccepted).map(({ messageId }) => messageId ?? ''))
  const deadline = Date.now() + HANGS_MS
  const api = apiCaller(urls[0] ?? '', apiKey)
  await forEach(ids, async (id) => {
    const status = await endStatus(api, id, () => Date.now() < deadline)
    if (status !== 'DELIVERED') findings.unfinished.push(`${id} is ${status}`)
    const { results } = (await mustCall(api, 'GET', `/messages/${id}/history`)) as { results: HistoryEvent[] }
    for (const flaw of flawsOf(results)) findings.flaws.push(`${id} ${flaw}`)
  })
  return findings
}

/** Looks until the message is delivered, as long as `mayWait`; the status it has then. */
async function endStatus(api: ApiCaller, id: string, mayWait: () => boolean): Promise<string> {
  for (;;) {
    const { status } = (await mustCall(api, 'GET', `/messages/${id}`)) as { status: string }
    if (status === 'DELIVERED' || !mayWait()) return status
    await pause(200)
  }
}

async function forEach(ids: ReadonlySet<string>, act: (id: string) => Promise<unknown>): Promise<void> {
  const queue = ids.values()
  const worker = async () => {
    for (const id of queue) await act(id)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
