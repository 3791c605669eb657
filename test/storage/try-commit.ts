/** Commits writes as a handler's are: false when one that must affect a row found none. */
import { ConflictError, type Engine, type Statement } from '@postrider/server/internal/database/engine'

export async function tryCommit(engine: Engine, writes: readonly Statement[]): Promise<boolean> {
  try {
    await engine.batch(writes)
    return true
  } catch (error) {
    if (error instanceof ConflictError) return false
    throw error
  }
}
