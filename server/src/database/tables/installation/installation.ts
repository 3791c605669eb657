/** The single rows of an installation: the state of an export or import, and a pause of deliveries. */
import { DatabaseRefused, type Engine, type Statement, UNDEFINED_TABLE } from '../../engine.ts'
import type { Row } from '../../query.ts'

export type MoveState = 'exporting' | 'exported' | 'importing' | 'verified' | 'imported'

export interface Move {
  state: MoveState
  exportId: string
  folder: string
  host: string
  at: number
  /** The number of committed steps of an import. */
  steps: number
}

/** The installation was exported or is partly imported: servers and commands must not change its data. */
class InstallationMoved extends Error {
  override readonly name = 'InstallationMoved'
}

/** Undefined without a move, without a schema, and with an older schema. */
export async function readMove(engine: Engine): Promise<Move | undefined> {
  const text = `select state, export_id as "exportId", folder, host, at::float8 as at, steps from moves`
  try {
    return (await engine.run<Move>({ text, values: [] })).rows[0]
  } catch (error) {
    if (error instanceof DatabaseRefused && error.code === UNDEFINED_TABLE) return undefined
    throw error
  }
}

/** Replaces the row. */
export function moveWrite({ state, exportId, folder, host, at, steps }: Move): Statement {
  return {
    text: `insert into moves (the_only, state, export_id, folder, host, at, steps) values (true, $1, $2, $3, $4, $5, $6)
      on conflict (the_only) do update set state = excluded.state, export_id = excluded.export_id,
        folder = excluded.folder, host = excluded.host, at = excluded.at, steps = excluded.steps`,
    values: [state, exportId, folder, host, at, steps],
  }
}

/** Conflicts when the move is another one, or not in the state `from`. */
export function moveStateWrite(exportId: string, from: MoveState, to: MoveState): Statement {
  return {
    text: 'update moves set state = $3 where export_id = $1 and state = $2',
    values: [exportId, from, to],
    expectRows: true,
  }
}

export async function clearMove(engine: Engine, exportId: string): Promise<void> {
  await engine.run({ text: 'delete from moves where export_id = $1', values: [exportId] })
}

/** Throws `InstallationMoved` when another installation delivers the messages, or the import is incomplete. */
export async function refuseMoved(engine: Engine): Promise<void> {
  const move = await readMove(engine)
  if (!move || move.state === 'imported') return
  const { state, folder, host } = move
  const at = new Date(move.at).toISOString()
  if (state === 'importing' || state === 'verified')
    throw new InstallationMoved(
      `The import of ${folder}, started at ${at} on ${host}, is not finished. Finish it with "postrider import ${folder}", or start over with an empty database`,
    )
  throw new InstallationMoved(
    `This installation was exported to ${folder} on ${host} at ${at}: what waits in it is delivered by the installation that imports it. If none does, undo the export with "postrider export --abandon"`,
  )
}

/** Exists while deliveries are paused. `source`: `key/<name>`, `operator`; null after a start that was paused. */
export type PauseRow = Row<'pauses', 'since' | 'host' | 'source'>

/** Undefined without a pause, and with an older schema. */
export async function readPause(engine: Engine): Promise<PauseRow | undefined> {
  try {
    // The version before has no `source`.
    const text = `select since, host, to_jsonb(p) ->> 'source' as source from pauses p`
    return (await engine.run<PauseRow>({ text, values: [] })).rows[0]
  } catch (error) {
    if (error instanceof DatabaseRefused && error.code === UNDEFINED_TABLE) return undefined
    throw error
  }
}

/** An existing pause is not changed. */
export const pauseInsert = ({ since, host, source }: PauseRow): Statement => ({
  text: 'insert into pauses (the_only, since, host, source) values (true, $1, $2, $3) on conflict do nothing',
  values: [since, host, source],
})

export const pauseDelete: Statement = { text: 'delete from pauses', values: [] }
