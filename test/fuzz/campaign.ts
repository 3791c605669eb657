/** Sends requests of every kind to every endpoint of a running server and judges what comes back. */
import fc from 'fast-check'
import { apiCaller } from '../support/api-client.ts'
import { watchPings } from '../support/pings.ts'
import { checkReply } from './check-reply.ts'
import { type Endpoint, type OpenApi, readDocument } from './document.ts'
import { createKnownIds } from './known-ids.ts'
import { createPeer, curl, REPLY_MS, type Wire } from './peer.ts'
import { type Draft, type Kind, kinds, requestsOf } from './request.ts'
import { valuesOf } from './value.ts'

export interface Options {
  url: string
  apiKey: string
  requests: number
  seed: number
  /** Bytes of live objects in the server; read ten times. */
  heldBytes?: () => Promise<number>
  /** How long the server has stood in line for a processor so far, in milliseconds. */
  runQueueMs: () => number
  progress?: (text: string) => void
  /** Ends the run before its time, with what it has found. */
  signal?: AbortSignal
}

export interface Report {
  requests: number
  /** False when it was ended before its time. */
  complete: boolean
  seconds: number
  /** The first of each sort, with the command that repeats it. */
  faults: string[]
  endpoints: number
  /** Endpoints that never answered with success, and those with an input that never refused. */
  neverDone: string[]
  neverRefused: string[]
  slowestPingMs: number
  /** After each tenth of the requests. */
  heldBytes: number[]
  byStatus: Record<string, number>
}

/** Not called, each for its reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'service.pause': 'nothing that later calls start would go on; test/system/pause.test.ts has it',
  'service.backup': 'it packs the whole database for every call; test/cli has it',
}

const CONNECTIONS = 12
const FAULTS_MAX = 50
// Valid requests reach more code than refused ones.
const VALID_SHARE = 3

interface Sort {
  endpoint: Endpoint
  kind: Kind
  drafts: fc.Arbitrary<Draft>
}

interface Planned {
  endpoint: Endpoint
  kind: Kind
  draft: Draft
}

export async function run({
  url,
  apiKey,
  requests,
  seed,
  heldBytes,
  runQueueMs,
  progress,
  signal,
}: Options): Promise<Report> {
  const peer = createPeer(url, CONNECTIONS)
  const authorization = { authorization: `Bearer ${apiKey}` }
  const api = apiCaller(url, apiKey, REPLY_MS)
  const openApi = (await api.call('GET', '/openapi.json')).json as OpenApi
  const document = readDocument(openApi)
  const endpoints = document.endpoints.filter(({ id }) => !(id in LEFT_OUT))
  const values = valuesOf(document)
  const sorts = endpoints.flatMap((endpoint) =>
    kinds.flatMap((kind) => {
      const drafts = requestsOf(endpoint, kind, values)
      return drafts ? Array<Sort>(kind === 'valid' ? VALID_SHARE : 1).fill({ endpoint, kind, drafts }) : []
    }),
  )
  const ids = createKnownIds(api)
  const faults = new Map<string, string>()
  const done = new Set<string>()
  const refused = new Set<string>()
  const byStatus: Record<string, number> = {}
  const heapSizes: number[] = []
  const began = Date.now()
  let sent = 0

  const fault = (sort: string, text: string) => {
    if (faults.has(sort) || faults.size >= FAULTS_MAX) return
    faults.set(sort, text)
    progress?.(text)
  }

  /** The same for the same seed and round; shuffled, so that things are changed between being made and being read. */
  function plan(round: number): Planned[] {
    const all = sorts.map(({ endpoint, kind, drafts }, index) => {
      const draft = fc.sample(drafts, { numRuns: 1, seed: seed + round * 10_007 + index * 31 })[0] as Draft
      return { endpoint, kind, draft }
    })
    const order = fc.shuffledSubarray(all, { minLength: all.length })
    return fc.sample(order, { numRuns: 1, seed: seed + round })[0] as Planned[]
  }

  async function send({ endpoint, kind, draft }: Planned, round: number): Promise<void> {
    const content = typeof draft.body === 'string' ? ids.fill(draft.body, inJson) : draft.body
    const wire: Wire = {
      method: endpoint.method,
      target: ids.fill(draft.target, encodeURIComponent),
      headers: {
        ...authorization,
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...draft.headers,
      },
      ...(content === undefined ? {} : { body: content }),
    }
    const where = `${endpoint.id}, ${kind}, seed ${seed}, round ${round}`
    const report = (what: string, detail = '') =>
      fault(`${endpoint.id} ${what.slice(0, 60)}`, `${what}\n    ${where}${detail}\n    ${curl(url, wire)}`)
    try {
      const reply = await peer.call(wire)
      const { json: value, faults: replyFaults } = checkReply(endpoint, reply)
      byStatus[reply.status] = (byStatus[reply.status] ?? 0) + 1
      if (reply.status < 300) done.add(endpoint.id)
      else refused.add(endpoint.id)
      ids.learn(value)
      for (const what of replyFaults) report(what, `\n    ${reply.body.toString('utf8').slice(0, 300)}`)
    } catch (error) {
      if (signal?.aborted) return
      report(error instanceof Error ? error.message : String(error))
    }
  }

  const watch = watchPings(() => peer.call({ method: 'GET', target: '/livez', headers: {} }), runQueueMs)
  for (let round = 0; sent < requests && !signal?.aborted; round += 1) {
    await ids.renew(round).catch((error: unknown) => {
      if (!signal?.aborted) throw error
    })
    const queue = plan(round).slice(0, requests - sent)
    let at = 0
    const lane = async () => {
      for (let planned = queue[at++]; planned && !signal?.aborted; planned = queue[at++]) await send(planned, round)
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, lane))
    sent += queue.length
    if (heldBytes && sent >= ((heapSizes.length + 1) * requests) / 10) {
      heapSizes.push(await heldBytes())
      progress?.(`${sent} requests, ${faults.size} faults, ${Math.round((heapSizes.at(-1) ?? 0) / 1_048_576)} MB held`)
    }
  }
  const slowestPingMs = await watch.stop()
  peer.close()
  return {
    requests: sent,
    complete: sent >= requests && !signal?.aborted,
    seconds: (Date.now() - began) / 1_000,
    faults: [...faults.values()],
    endpoints: endpoints.length,
    neverDone: endpoints.flatMap(({ id }) => (done.has(id) ? [] : [id])),
    neverRefused: endpoints.flatMap(({ id, body, inPath }) =>
      refused.has(id) || (!body && inPath.length === 0) ? [] : [id],
    ),
    slowestPingMs,
    heldBytes: heapSizes,
    byStatus,
  }
}

const inJson = (value: string) => JSON.stringify(value).slice(1, -1)
