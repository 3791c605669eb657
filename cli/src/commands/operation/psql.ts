/** `postrider psql`: the command that opens the database in PostgreSQL's client psql. */
import type { LocalConnection } from '@postrider/server'
import type { Command } from 'commander'
import { hasDatabase } from '../../data-folder.ts'
import { Failure } from '../../failure.ts'
import { plain } from '../../plain.ts'
import { serverModules } from '../../server-modules.ts'
import { type Session, sessionOf } from '../../session.ts'

export function addPsql(program: Command): void {
  program
    .command('psql')
    .description('Print the command that opens the database in psql.')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider psql
  $ sh -c "$(postrider psql --json | jq -r .command)"

psql is part of PostgreSQL's client programs (Debian: postgresql-client). Reading is always safe; Postrider does not check
changes made with psql.`,
    )
    .action(async (_options: unknown, command: Command) => psql(sessionOf(command)))
}

async function psql({ terminal }: Session): Promise<void> {
  const { localConnection, readConfig } = await serverModules()
  const { databaseUrl, dataDir } = readConfig()
  if (databaseUrl) {
    // The address can hold a password, which is not repeated.
    terminal.answer({ command: 'psql "$POSTRIDER_DATABASE_URL"' }, () => 'psql "$POSTRIDER_DATABASE_URL"')
    return
  }
  const connection = (await hasDatabase(dataDir)) ? localConnection(dataDir) : undefined
  if (!connection)
    throw new Failure(`There is no database in ${dataDir}`, {
      hint: 'The first start creates it: postrider serve. For another folder, set POSTRIDER_DATA_DIR.',
    })
  const command = commandOf(connection)
  terminal.answer({ command, running: connection.isRunning }, () => plain(command))
  if (!connection.isRunning)
    terminal.note('The database runs only while Postrider does: start it with postrider serve.')
}

/** In single quotes for a shell. */
const quoted = (text: string) => (/^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

function commandOf({ host, port, user, database, passwordFile, isTooLong }: LocalConnection): string {
  const to = (folder: string) => `psql -h ${folder} -p ${port} -U ${user} ${database}`
  if (passwordFile) return `PGPASSWORD=$(cat ${quoted(passwordFile)}) ${to(host)}`
  if (!isTooLong) return to(quoted(host))
  return `d=$(mktemp -d) && ln -s ${quoted(host)} "$d/s" && ${to('"$d/s"')}`
}
