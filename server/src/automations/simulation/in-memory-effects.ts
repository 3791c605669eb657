/** Effects of simulated runs: messages, sends to many, digest events, profiles, idempotency keys. */
import type { JsonObject } from '../../base/json/json.ts'
import type { Send } from '../../messages/send.ts'
import type { Effects, RequestEffect } from '../run-store.ts'
import { rehearsedKeys } from './in-memory-keys.ts'
import { rehearsedProfiles, type WrittenProfile } from './in-memory-profiles.ts'

interface Place {
  at: number
  runId: string
  position: number
}

export interface SimulatedSend extends Place {
  id: string
  send: Send
  written: WrittenProfile
}

export interface SimulatedRequest extends RequestEffect, Place {
  written: WrittenProfile
}

/** Data for a digest. */
export interface DigestEvent {
  at: number
  topicId: string
  recipient: string
  data: JsonObject
}

export type RehearsedEffects = ReturnType<typeof rehearsedEffects>

export function rehearsedEffects() {
  const keys = rehearsedKeys()
  const profiles = rehearsedProfiles()
  const sends: SimulatedSend[] = []
  const requests: SimulatedRequest[] = []
  const collected: DigestEvent[] = []
  return {
    keys,
    profiles,
    sends,
    requests,
    collected,
    take({ sends: made = [], request, profile, digest }: Effects, place: Place): void {
      const written = profiles.byNow()
      for (const { id, send } of made) {
        keys.use(send.idempotency, { messageId: id })
        sends.push({ ...place, id, send, written })
      }
      if (request) {
        const { idempotency, ...rest } = request
        keys.use(idempotency, { requestId: request.id })
        requests.push({ ...place, ...rest, written })
      }
      if (profile) profiles.write(profile, place.at)
      if (digest) {
        const { topicId, recipient, data } = digest
        collected.push({ at: place.at, topicId, recipient, data })
      }
    },
  }
}
