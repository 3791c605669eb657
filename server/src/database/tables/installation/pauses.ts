/** The single row that exists while deliveries are paused. */
import { DatabaseRefused, type Engine, type Statement, UNDEFINED_TABLE } from '../../engine.ts'

export interface PauseRow {
  since: number
  host: string
}

/** Undefined without a pause, and with an older schema. */
export async function readPause(engine: Engine): Promise<PauseRow | undefined> {
  try {
    return (await engine.run<PauseRow>({ text: 'select since, host from pauses', values: [] })).rows[0]
  } catch (error) {
    if (error instanceof DatabaseRefused && error.code === UNDEFINED_TABLE) return undefined
    throw error
  }
}

/** An existing pause is not changed. */
export async function insertPause(engine: Engine, { since, host }: PauseRow): Promise<void> {
  await engine.run({
    text: 'insert into pauses (the_only, since, host) values (true, $1, $2) on conflict do nothing',
    values: [since, host],
  })
}

export const pauseDelete: Statement = { text: 'delete from pauses', values: [] }
