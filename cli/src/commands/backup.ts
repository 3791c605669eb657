/** `postrider backup <file>`: a checked copy of the embedded database, from a running server or from its folder. */

import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { type Contents, inspectArchive } from '../archive.ts'
import { hasDatabase } from '../data-folder.ts'
import { exitCodes, Failure, notReached } from '../failure.ts'
import { bytes } from '../plain.ts'
import { serverModules } from '../server-modules.ts'
import { clientOf, presenceOf, type Session, sessionOf, withDatabase } from '../session.ts'
import { refuseExisting, writeWhole } from '../whole-file.ts'

// Packing a database of some GB takes minutes; beyond an hour nothing is coming any more.
const COPY_TIMEOUT_MS = 3_600_000

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('Copy the embedded database into a file, while the server runs or while it does not.')
    .argument('<file>', 'where the copy goes: a gzipped tar', fileName)
    .option('-f, --force', 'replace the file when it exists')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider backup postrider-$(date +%F).tar.gz
  $ postrider backup --force /var/backups/postrider.tar.gz

To restore, stop the server and unpack the copy into an empty folder "database" of the data folder:
  $ mkdir -p data/database && tar -xzf postrider-2026-11-20.tar.gz -C data/database && chmod -R go= data
Put the secret key back beside it (POSTRIDER_SECRET_KEY, or data/secret.key): it is not in the copy,
and without it stored credentials cannot be read.

On PostgreSQL, back up with the tools of PostgreSQL:
  $ pg_dump --format=custom --file=postrider.dump "$POSTRIDER_DATABASE_URL"`,
    )
    .action(async (file: string, { force }: { force?: boolean }, command: Command) =>
      backup(sessionOf(command), file, force === true),
    )
}

async function backup(session: Session, file: string, force: boolean): Promise<void> {
  const { terminal } = session
  refuseExisting(file, force)
  if (!existsSync(dirname(file)))
    throw new Failure(`There is no folder ${dirname(file)}`, { exitCode: exitCodes.wrong })
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort(new Failure('Stopped; nothing was written')))
  let contents: Contents = { files: 0, bytes: 0 }
  const options = {
    overwrite: force,
    wrote: (count: number) => {
      stop.signal.throwIfAborted()
      terminal.progress.update(`copying … ${bytes(count)}`)
    },
    check: async (path: string) => {
      terminal.progress.step('checking the copy …')
      contents = await inspectArchive(path)
    },
  }
  const size = await writeWhole(file, copyOf(session, stop.signal), options)
  terminal.progress.end()
  terminal.answer(
    { file, bytes: size, files: contents.files, unpackedBytes: contents.bytes },
    () => `${file}: ${bytes(size)}, ${contents.files} files, ${bytes(contents.bytes)} unpacked; checked.`,
  )
  terminal.note('The secret key is not in it. Keep that apart: stored credentials cannot be read without it.')
}

async function* copyOf(session: Session, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { terminal, server } = session
  const presence = server.urlGiven ? await presenceOf(session) : await ownPresence(session)
  if (presence === 'starting')
    throw new Failure(`The server at ${server.url} is not ready`, { hint: 'Try again when it has started.' })
  if (presence === 'absent' && server.urlGiven) throw notReached(server.url)
  if (presence === 'absent') {
    terminal.progress.step('no server runs: opening the database …')
    yield await withDatabase(async (engine) => {
      if (!engine.backup) throw ownTools()
      terminal.progress.step('packing the database …')
      return await engine.backup()
    })
    return
  }
  const client = clientOf(session)
  terminal.progress.step('the server is packing its database …')
  // Packing twice helps nobody: a failure is shown at once.
  yield* await client.service.backup({ timeoutMs: COPY_TIMEOUT_MS, retries: 0, signal })
}

const ownTools = () =>
  new Failure('The database is a PostgreSQL server: back it up with the tools of PostgreSQL', {
    hint: 'pg_dump --format=custom --file=postrider.dump "$POSTRIDER_DATABASE_URL"',
  })

/** This machine's configuration says whether there is anything to copy. */
async function ownPresence(session: Session) {
  const { readConfig } = serverModules()
  const { databaseUrl, dataDir } = readConfig()
  if (databaseUrl) throw ownTools()
  const presence = await presenceOf(session)
  if (presence === 'absent' && !hasDatabase(dataDir))
    throw new Failure(`There is no database in ${dataDir}, and no server at ${session.server.url}`, {
      hint: 'Name the folder with POSTRIDER_DATA_DIR or the server with --url.',
    })
  return presence
}

function fileName(text: string): string {
  if (text === '' || text === '-') throw new InvalidArgumentError('It is the name of a file.')
  return text
}
