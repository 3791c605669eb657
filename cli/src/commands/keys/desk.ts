/** Where keys are kept: behind a running server, or in the database of this machine when none can be asked. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiKey, CreatedKey, KeyEnvironment, KeyKind } from '@postrider/client'
import type { Engine } from '@postrider/server'
import { Failure, keyMissing, notReached } from '../../failure.ts'
import { plain } from '../../plain.ts'
import { clientOf, presenceOf, type Session, withDatabase } from '../../session.ts'
import { statusOf } from '../migrate.ts'

export interface NewKey {
  name?: string
  kind?: KeyKind
  environment?: KeyEnvironment
}

export interface Desk {
  create(key: NewKey): Promise<CreatedKey>
  list(): Promise<ApiKey[]>
  revoke(id: string): Promise<void>
}

export async function withKeys<T>(session: Session, work: (desk: Desk) => Promise<T>): Promise<T> {
  const { server } = session
  const presence = await presenceOf(session)
  if (presence !== 'absent' && server.apiKey) return await work(remote(session))
  if (server.urlGiven) throw presence === 'absent' ? notReached(server.url) : keyMissing(server.url)
  const { readConfig } = await import('@postrider/server')
  const { databaseUrl, dataDir } = readConfig()
  if (!databaseUrl && presence !== 'absent') throw keyMissing(server.url)
  if (!databaseUrl && !existsSync(join(dataDir, 'database')))
    throw new Failure(`There is no database in ${dataDir}, and no server at ${server.url}`, {
      hint: 'The first start makes a key and prints it: postrider serve',
    })
  session.terminal.progress.step('no server to ask: opening the database …')
  try {
    return await withDatabase(async (engine) => {
      const { pending } = await statusOf(engine)
      if (pending.length > 0)
        throw new Failure('The database is not up to date', { hint: 'Start the server once: postrider serve' })
      return await work(await local(engine))
    })
  } finally {
    session.terminal.progress.end()
  }
}

function remote(session: Session): Desk {
  const { keys } = clientOf(session)
  return {
    create: (key) => keys.create(key),
    list: async () => (await keys.list()).results,
    revoke: (id) => keys.revoke(id),
  }
}

async function local(engine: Engine): Promise<Desk> {
  const { offlineKeys } = await import('@postrider/server')
  const keys = offlineKeys(engine, Date.now)
  return {
    create: keys.create,
    list: keys.list,
    async revoke(id) {
      const outcome = await keys.revoke(id)
      if (outcome === 'missing')
        throw new Failure(`There is no key ${plain(id)}`, { hint: 'postrider keys list shows the ids.' })
      if (outcome === 'last')
        throw new Failure('It is the last key of its environment', { hint: 'Create another one first.' })
    },
  }
}
