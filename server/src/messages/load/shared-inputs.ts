/** The inputs that messages of one request share: read once, and cached while the request is expanded. */
import { createCache } from '../../base/perf/cache.ts'
import type { Reader } from '../../database/engine.ts'
import { requestInputs } from '../../database/tables/messages/requests.ts'
import { completed, type OwnInput, type SendInput, type SharedInput } from '../send.ts'

export interface SharedInputs {
  /** The whole inputs, in order; a message that belongs to no request has its own already. */
  complete(parts: readonly { requestId: string | null; ownInput: OwnInput }[]): Promise<SendInput[]>
}

/** A few requests are expanded at a time; their inputs never change. */
const REQUESTS_MAX = 100
const BYTES_MAX = 32 * 1_048_576
/** Each has up to 6 MB. */
const REQUESTS_A_READ = 8

export function createSharedInputs(engine: Reader): SharedInputs {
  const cachedInputs = createCache<string, { shared: SharedInput; bytes: number }>({
    entriesMax: REQUESTS_MAX,
    weightMax: BYTES_MAX,
    weightOf: ({ bytes }) => bytes,
  })
  const remember = (id: string, text: string): SharedInput => {
    const shared = JSON.parse(text) as SharedInput
    cachedInputs.set(id, { shared, bytes: text.length })
    return shared
  }

  return {
    async complete(parts) {
      const requestIds = new Set(parts.flatMap(({ requestId }) => requestId ?? []))
      const inputs = new Map<string, SharedInput>()
      const missing: string[] = []
      for (const id of requestIds) {
        const entry = cachedInputs.get(id)
        if (entry) inputs.set(id, entry.shared)
        else missing.push(id)
      }
      if (missing.length > 0)
        for (let from = 0; from < missing.length; from += REQUESTS_A_READ)
          for (const { id, input } of await requestInputs(engine, missing.slice(from, from + REQUESTS_A_READ)))
            inputs.set(id, cachedInputs.get(id)?.shared ?? remember(id, input))
      return parts.map(({ requestId, ownInput }) => {
        if (requestId === null) return ownInput as SendInput
        // Without its request a message has no event: it ends as unmapped, and delays no other one.
        return completed(inputs.get(requestId) ?? { event: '' }, ownInput)
      })
    },
  }
}
