/** Once per test run: a door through which tests get PostgreSQL databases; the server starts with the first request. */
import { createServer } from 'node:http'
import type { TestProject } from 'vitest/node'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { findPostgres } from './postgres-binaries.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Each `POST` here answers with the address of a new, empty database; absent without PostgreSQL. */
    postgresDoor: string | undefined
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!findPostgres()) {
    const message = 'PostgreSQL suites cannot run: no binaries (install postgresql, or set POSTRIDER_TEST_POSTGRES_BIN)'
    if (process.env.CI) throw new Error(message)
    project.vitest.logger.warn(message)
    project.provide('postgresDoor', undefined)
    return async () => {}
  }

  let server: Promise<PostgresServer> | undefined
  const door = createServer(async (_request, response) => {
    try {
      server ??= startPostgres()
      response.end(await (await server).createDatabase())
    } catch (error) {
      response.statusCode = 500
      response.end(String(error))
    }
  })
  const port = await new Promise<number>((resolve, reject) => {
    door.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = door.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  project.provide('postgresDoor', `http://127.0.0.1:${port}/`)
  return async () => {
    door.close()
    door.closeAllConnections()
    await (await server?.catch(() => undefined))?.stop()
  }
}
