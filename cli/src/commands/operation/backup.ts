/** `postrider backup <file>`: a checked copy of the local database, from a running server or from its folder. */

import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { CheckedBackup } from '@postrider/server'
import { type Command, InvalidArgumentError } from 'commander'
import { hasDatabase } from '../../data-folder.ts'
import { exitCodes, Failure, notReached, takenElsewhere } from '../../failure.ts'
import { bytes } from '../../plain.ts'
import { serverModules } from '../../server-modules.ts'
import { clientOf, presenceOf, type Session, sessionOf } from '../../session.ts'
import { refuseExisting, writeWhole } from '../../whole-file.ts'

// A database of some GB takes minutes; beyond an hour nothing is coming any more.
const COPY_TIMEOUT_MS = 3_600_000

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('Copy the local database into a file. The server can be running or stopped.')
    .argument('<file>', 'file to write: a gzipped tar archive', fileName)
    .option('-f, --force', 'replace an existing file')
    .option('--no-check', 'skip the check, which unpacks the copy next to it, starts it and reads every row')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider backup postrider-$(date +%F).tar.gz
  $ postrider backup --force /var/backups/postrider.tar.gz

To restore, stop the server and unpack the copy into an empty data folder:
  $ mkdir -m 700 data && tar -xzf postrider-2026-11-20.tar.gz -C data
The copy does not contain the secret key. Restore it as well (POSTRIDER_SECRET_KEY, or data/secret.key): without it,
stored credentials cannot be read.

Back up a database server (POSTRIDER_DATABASE_URL) with the tools of PostgreSQL:
  $ pg_dump --format=custom --file=postrider.dump "$POSTRIDER_DATABASE_URL"`,
    )
    .action(async (file: string, options: BackupOptions, command: Command) => backup(sessionOf(command), file, options))
}

interface BackupOptions {
  force?: boolean
  check: boolean
}

async function backup(session: Session, file: string, { force = false, check }: BackupOptions): Promise<void> {
  const { terminal } = session
  refuseExisting(file, force)
  if (!existsSync(dirname(file)))
    throw new Failure(`There is no folder ${dirname(file)}`, { exitCode: exitCodes.wrong })
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort(new Failure('Stopped; nothing was written')))
  let checked: CheckedBackup | undefined
  const options = {
    overwrite: force,
    wrote: (count: number) => {
      stop.signal.throwIfAborted()
      terminal.progress.update(`copying … ${bytes(count)}`)
    },
    check: async (path: string) => {
      if (!check) return
      const { checkBackup, readConfig } = await serverModules()
      checked = await checkBackup(path, { binFolder: readConfig().postgresBin, progress: terminal.progress.step })
    },
  }
  const size = await writeWhole(file, copyOf(session, stop.signal), options)
  terminal.progress.end()
  terminal.answer({ file, bytes: size, ...checked }, () =>
    checked
      ? `${file}: ${bytes(size)}, ${checked.files} files, ${bytes(checked.unpackedBytes)} unpacked; checked: ${checked.rows} rows read.`
      : `${file}: ${bytes(size)}; not checked.`,
  )
  terminal.note(
    'The copy does not contain the secret key. Store the key in another place: stored credentials cannot be read without it.',
  )
}

async function* copyOf(session: Session, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { terminal, server } = session
  const presence = server.urlGiven ? await presenceOf(session) : await ownPresence(session)
  if (presence === 'starting')
    throw new Failure(`The server at ${server.url} is not ready`, { hint: 'Try again after it has started.' })
  if (presence === 'absent' && server.urlGiven) throw notReached(server.url)
  if (presence === 'absent') {
    terminal.progress.step('no server is running: starting the database …')
    yield* copyOfFolder(server.url)
    return
  }
  const client = clientOf(session)
  terminal.progress.step('the server is copying its database …')
  // A failure is shown at once instead of being tried again.
  yield* await client.service.backup({ timeoutMs: COPY_TIMEOUT_MS, retries: 0, signal })
}

async function* copyOfFolder(url: string): AsyncGenerator<Uint8Array> {
  const { createLog, openDatabase, readConfig } = await serverModules()
  const config = readConfig()
  const engine = await openDatabase(config, createLog('warn')).catch((cause: unknown) =>
    Promise.reject(takenElsewhere(cause, config.dataDir, url)),
  )
  try {
    if (!engine.backup) throw ownTools()
    yield* engine.backup.copy()
  } finally {
    await engine.close()
  }
}

const ownTools = () =>
  new Failure('The database is a PostgreSQL server: back it up with the tools of PostgreSQL', {
    hint: 'pg_dump --format=custom --file=postrider.dump "$POSTRIDER_DATABASE_URL"',
  })

/** This machine's configuration says whether there is anything to copy. */
async function ownPresence(session: Session) {
  const { readConfig } = await serverModules()
  const { databaseUrl, dataDir } = readConfig()
  if (databaseUrl) throw ownTools()
  const presence = await presenceOf(session)
  if (presence === 'absent' && !(await hasDatabase(dataDir)))
    throw new Failure(`There is no database in ${dataDir}, and no server at ${session.server.url}`, {
      hint: 'Set POSTRIDER_DATA_DIR to the data folder, or give the address of the server with --url.',
    })
  return presence
}

function fileName(text: string): string {
  if (text === '' || text === '-') throw new InvalidArgumentError('It must be a file name.')
  return text
}
