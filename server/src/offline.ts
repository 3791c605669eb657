/** What a command may do in the database while no server can be asked: keys, and a copy. Whoever opens it may do anything. */
import {
  type ApiKey,
  type CreatedKey,
  type KeyEnvironment,
  type KeyKind,
  keyEnvironments,
  keysMax,
} from '@postrider/contract'
import { recordId } from './base/ids.ts'
import { hashKey } from './base/secret.ts'
import type { EmbeddedEngine } from './database/embedded/embedded.ts'
import type { Engine } from './database/engine.ts'
import { insertKey, listKeys, revokeKey } from './database/tables/keys.ts'
import { workspaceOf } from './http/environment.ts'
import { newKey } from './http/resources/keys.ts'

export interface KeyWish {
  name?: string
  kind?: KeyKind
  environment?: KeyEnvironment
}

export interface OfflineKeys {
  create(wish: KeyWish): Promise<CreatedKey>
  /** Of all environments. */
  list(): Promise<ApiKey[]>
  /** `last`: it is the only live key of its environment, and stays. */
  revoke(id: string): Promise<'revoked' | 'missing' | 'last'>
}

export function offlineKeys(engine: Engine, now: () => number): OfflineKeys {
  return {
    async create({ kind = 'published', environment = 'production', name = kind }) {
      const key = newKey(kind, environment)
      const record = { id: recordId(), name, kind, created: now() }
      const workspaceId = workspaceOf[environment]
      await insertKey(engine, { ...record, workspaceId, hash: hashKey(key), hint: key.slice(-4) })
      return { ...record, environment, key }
    },
    async list() {
      const found: ApiKey[] = []
      for (const environment of keyEnvironments)
        for (const { id, name, kind, created } of await listKeys(engine, workspaceOf[environment], keysMax))
          found.push({ id, name, kind, environment, created })
      return found
    },
    async revoke(id) {
      for (const environment of keyEnvironments) {
        const outcome = await revokeKey(engine, engine.batch, workspaceOf[environment], id, now())
        if (outcome !== 'missing') return outcome
      }
      return 'missing'
    },
  }
}

/** A gzipped tar of the database folder. Throws on PostgreSQL, which has tools of its own. */
export function dumpEmbedded(engine: Engine): Promise<Uint8Array> {
  if (engine.kind !== 'embedded') throw new Error('Only the embedded database is copied this way; use pg_dump')
  return (engine as EmbeddedEngine).dump()
}
