/** Access of a command to the data: by the running server with a key, or by the database of this machine. */

import { type KeyEnvironment, Postrider } from '@postrider/client'
import type { Engine } from '@postrider/server'
import { hasDatabase } from './data-folder.ts'
import { Failure, folderMissing, keyMissing, notReached, takenElsewhere } from './failure.ts'
import { schemaStatus } from './schema-status.ts'
import { serverModules } from './server-modules.ts'
import { clientOf, NO_KEY, type Open, presenceOf, type Session, warningsOn, withDatabase } from './session.ts'

export interface Reach {
  /** The key's environment; production without a key. */
  client: Postrider
  /** All accessible environments: that of the key, or every one when the database is opened. */
  every: readonly [Postrider, ...Postrider[]]
}

/** For commands that need no background work. */
export async function withReach<T>(session: Session, work: (reach: Reach) => Promise<T>): Promise<T> {
  const { server, terminal } = session
  const presence = await presenceOf(session)
  if (presence !== 'absent' && server.apiKey) {
    const client = clientOf(session)
    return await work({ client, every: [client] })
  }
  if (server.urlGiven) throw presence === 'absent' ? notReached(server.url) : keyMissing(server.url)
  const { joinDatabase, openDatabase, readConfig } = await serverModules()
  const { databaseUrl, dataDir } = readConfig()
  if (!databaseUrl && presence === 'absent' && !(await hasDatabase(dataDir)))
    throw new Failure(`There is no database in ${dataDir}, and no server at ${server.url}`, {
      hint: 'The first start creates the database and an API key: postrider serve. For another data folder, set POSTRIDER_DATA_DIR; for another server, use --url or POSTRIDER_URL.',
    })
  const why = presence === 'absent' ? 'no server is running' : 'there is no API key'
  terminal.progress.step(`${why}: opening the database …`)
  const open: Open = async (config, log) => {
    if (databaseUrl || presence === 'absent')
      return await openDatabase(config, log).catch((cause: unknown) =>
        Promise.reject(takenElsewhere(cause, dataDir, server.url)),
      )
    // The server at this address runs on another database, or as a user whose files are closed to this one.
    const engine = await joinDatabase(config, log).catch((cause: unknown) =>
      Promise.reject(folderMissing(server.url, dataDir, cause)),
    )
    if (!engine) throw folderMissing(server.url, dataDir)
    return engine
  }
  try {
    return await withOffline(session, work, open)
  } finally {
    terminal.progress.end()
  }
}

function withOffline<T>({ server, terminal }: Session, work: (reach: Reach) => Promise<T>, open: Open): Promise<T> {
  return withDatabase(async (engine, config, log) => {
    await refuseUnready(engine)
    const { openOffline, keyScope } = await serverModules()
    const offline = await openOffline(engine, config, log)
    const clientIn = (environment: KeyEnvironment) =>
      new Postrider({
        ...{ baseUrl: server.url, apiKey: NO_KEY, retries: 0 },
        ...{ fetch: offline.fetchIn(environment), onWarning: warningsOn(terminal) },
      })
    terminal.progress.end()
    try {
      const production = clientIn('production')
      const test = clientIn('test')
      const client = keyScope(server.apiKey ?? '').environment === 'test' ? test : production
      return await work({ client, every: [production, test] })
    } finally {
      await offline.close()
    }
  }, open)
}

/** Opening a database is no reason to change it. */
async function refuseUnready(engine: Engine): Promise<void> {
  const { pending } = await schemaStatus(engine)
  if (pending.length > 0)
    throw new Failure('The database is not up to date', {
      hint: 'Apply the pending migrations: postrider migrate, or start the server once.',
    })
  const { hasStarted } = await serverModules()
  if (!(await hasStarted(engine)))
    throw new Failure('The database is empty', {
      hint: 'The first start creates the schema and an API key: postrider serve',
    })
}
