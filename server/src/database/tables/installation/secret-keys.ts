/** The one row that names the secret key of this database, and the rotation that is in progress. */
import { DatabaseRefused, type Engine, type Statement, UNDEFINED_TABLE } from '../../engine.ts'

export interface SecretKeyRow {
  /** The id of the key; see `SecretKey.id`. */
  id: string
  /** The id of the key that a rotation in progress writes. */
  nextId: string | null
  /** Encrypted; see `retainedKeys`. The column `lasting`. */
  retainedKeys: string | null
}

/** Undefined before the first start, and with the schema of an earlier version. */
export async function readSecretKey(engine: Engine): Promise<SecretKeyRow | undefined> {
  const text = 'select id, next_id as "nextId", lasting as "retainedKeys" from secret_keys'
  try {
    return (await engine.run<SecretKeyRow>({ text, values: [] })).rows[0]
  } catch (error) {
    if (error instanceof DatabaseRefused && error.code === UNDEFINED_TABLE) return undefined
    throw error
  }
}

/** Leaves the row of a node that was faster as it is. */
export async function insertSecretKey(engine: Engine, id: string): Promise<void> {
  await engine.run({
    text: 'insert into secret_keys (the_only, id) values (true, $1) on conflict do nothing',
    values: [id],
  })
}

/** Replaces the row, whatever it says: the key it named is lost. */
export async function replaceSecretKey(engine: Engine, id: string): Promise<void> {
  await engine.run({
    text: `insert into secret_keys (the_only, id) values (true, $1)
      on conflict (the_only) do update set id = excluded.id, next_id = null, lasting = null`,
    values: [id],
  })
}

/** From now on no server starts. Touches no row when another rotation is in progress. */
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

/** Every value is encrypted with the next key: it is the key of the database. */
export const rotationEnd = (id: string, nextId: string, retainedKeys: string): Statement => ({
  text: 'update secret_keys set id = $2, next_id = null, lasting = $3 where id = $1 and next_id = $2',
  values: [id, nextId, retainedKeys],
  expectRows: true,
})
