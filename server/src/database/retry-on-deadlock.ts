/** Retries statements that the server rolled back for another transaction (deadlock, serialization) before they fail. */
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseUnavailable } from './engine.ts'

/** A deadlock takes the server a second to find: more than these would keep a caller waiting. */
const REPEATS_MAX = 3
/** Until the others are done; random, so that several victims do not meet again. */
const PAUSE_MAX_MS = 50

const DEADLOCK = '40P01'
const SERIALIZATION_FAILURE = '40001'

/** `work` is stored as a whole or not at all: of a victim nothing is. */
export async function retryOnConflict<Done>(work: () => Promise<Done>): Promise<Done> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await work()
    } catch (error) {
      if (repeats === REPEATS_MAX || !isVictim(error)) throw error
    }
    await pause(Math.random() * PAUSE_MAX_MS)
  }
}

function isVictim(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailable ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && (cause.code === DEADLOCK || cause.code === SERIALIZATION_FAILURE)
}
