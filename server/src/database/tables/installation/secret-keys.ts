/** The single row with the id of the database's secret key, and the rotation in progress. */
import { DatabaseRefused, type Engine, type Statement, UNDEFINED_TABLE } from '../../engine.ts'

export interface SecretKeyRow {
  /** The id of the key; see `SecretKey.id`. */
  id: string
  /** The id of the new key, during a rotation. */
  nextId: string | null
  /** Encrypted; see `retainedKeys`. The column `lasting`. */
  retainedKeys: string | null
}

/** Undefined before the first start, and with an older schema. */
export async function readSecretKey(engine: Engine): Promise<SecretKeyRow | undefined> {
  const text = 'select id, next_id as "nextId", lasting as "retainedKeys" from secret_keys'
  try {
    return (await engine.run<SecretKeyRow>({ text, values: [] })).rows[0]
  } catch (error) {
    if (error instanceof DatabaseRefused && error.code === UNDEFINED_TABLE) return undefined
    throw error
  }
}

/** The row of a faster node is not changed. */
export async function insertSecretKey(engine: Engine, id: string): Promise<void> {
  await engine.run({
    text: 'insert into secret_keys (the_only, id) values (true, $1) on conflict do nothing',
    values: [id],
  })
}

/** Replaces the row unconditionally: its key is lost. */
export async function replaceSecretKey(engine: Engine, id: string): Promise<void> {
  await engine.run({
    text: `insert into secret_keys (the_only, id) values (true, $1)
      on conflict (the_only) do update set id = excluded.id, next_id = null, lasting = null`,
    values: [id],
  })
}

/** Afterwards no server starts. Conflicts when another rotation is in progress. */
export const rotationStart = (id: string, nextId: string): Statement => ({
  text: 'update secret_keys set next_id = $2 where id = $1 and next_id is null',
  values: [id, nextId],
  expectRows: true,
})

export async function abandonRotation(engine: Engine, id: string, nextId: string): Promise<void> {
  await engine.run({
    text: 'update secret_keys set next_id = null where id = $1 and next_id = $2',
    values: [id, nextId],
  })
}

/** All values are encrypted with the next key, which becomes the key of the database. */
export const rotationEnd = (id: string, nextId: string, retainedKeys: string): Statement => ({
  text: 'update secret_keys set id = $2, next_id = null, lasting = $3 where id = $1 and next_id = $2',
  values: [id, nextId, retainedKeys],
  expectRows: true,
})
