/**
 * Clients that send without pause while servers crash: plain, delayed, and with keys that are retried until there is a
 * reply.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@postrider/server/internal/base/seeded-random.harness'
import { apiCaller } from '../support/api-client.ts'
import { HANGS_MS } from './fleet.ts'
import { type Call, isAccepted, type Ledger } from './ledger.ts'
import type { Manner } from './provider.ts'

export interface SenderOptions {
  urls: readonly string[]
  apiKey: string
  ledger: Ledger
  random: SeededRandom
  /** Sends started per second. */
  rate: number
  /** Called with a reply that no server may give. */
  fault(text: string): void
  /** Called with a send that waited too long for its reply. */
  hang(text: string): void
}

export interface Sender {
  /** Resolves when every key has its answer. */
  stop(): Promise<void>
}

interface Draft {
  send: number
  key: string | undefined
  notBefore: number | undefined
  manner: Manner
}

const CLIENTS = 6
const AGAIN_MS = 60

export function startSender({ urls, apiKey, ledger, random, rate, fault, hang }: SenderOptions): Sender {
  let stopped = false
  let sends = 0
  let preferred = 0

  const post = async ({ send, key, notBefore, manner }: Draft): Promise<Call> => {
    const call: Call = { send, sent: Date.now(), ...(notBefore && { notBefore }) }
    ledger.calls.push(call)
    const url = urls[(preferred + send) % urls.length]
    try {
      const reply = await apiCaller(url ?? '', apiKey, HANGS_MS).call('POST', '/send', {
        headers: { ...(key && { 'idempotency-key': key }) },
        body: {
          ...{ event: 'crash', recipient: `recipient-${send % 50}`, data: { send, manner } },
          ...(notBefore && { delay: { until: new Date(notBefore).toISOString() } }),
        },
      })
      Object.assign(call, { status: reply.status, answered: Date.now() })
      if (isAccepted(call)) call.messageId = reply.json.messageId
      else if (reply.status !== 503 && reply.status !== 409) fault(`${reply.status} to send ${send}: ${reply.text}`)
    } catch (error) {
      // A crash cuts the connections.
      if (error instanceof DOMException && error.name === 'TimeoutError')
        hang(`Send ${send} had no answer from ${url} within ${HANGS_MS} ms`)
      // The server has ended; the next call uses another one.
      preferred += 1
    }
    return call
  }

  const send = async (draft: Draft): Promise<void> => {
    const deadline = Date.now() + HANGS_MS
    for (let call = await post(draft); !isAccepted(call) && draft.key; call = await post(draft)) {
      const { status } = call
      if (Date.now() > deadline)
        return status === undefined
          ? hang(`Send ${draft.send} got no answer to its key`)
          : fault(`Send ${draft.send} was answered ${status} until the end`)
      await pause(AGAIN_MS)
    }
    // Some retry although they have a reply.
    if (draft.key && draft.send % 5 === 0) await post(draft)
  }

  const client = async (): Promise<void> => {
    while (!stopped) {
      const began = Date.now()
      await send(draftOf((sends += 1), random))
      await pause(Math.max(5, (1_000 * CLIENTS) / rate - (Date.now() - began)))
    }
  }
  const clients = Array.from({ length: CLIENTS }, client)

  return {
    async stop() {
      stopped = true
      await Promise.all(clients)
    },
  }
}

function draftOf(send: number, random: SeededRandom): Draft {
  const drawn = random.next()
  const manner: Manner = drawn < 0.03 ? 'slow' : drawn < 0.05 ? 'flaky' : 'prompt'
  const notBefore = random.next() < 0.1 ? Date.now() + random.between(1_000, 3_000) : undefined
  return { send, manner, notBefore, key: random.next() < 0.25 ? `crash-${send}` : undefined }
}
