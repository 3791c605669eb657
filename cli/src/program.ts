/** Every command in one list, and the options all of them take. */
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addAutomations } from './commands/automations.ts'
import { addBackup } from './commands/backup.ts'
import { addBulk } from './commands/bulk.ts'
import { addCompletion } from './commands/completion.ts'
import { addDoctor } from './commands/doctor.ts'
import { addExport } from './commands/export.ts'
import { addImport } from './commands/import.ts'
import { addKeys } from './commands/keys.ts'
import { addLists } from './commands/lists.ts'
import { addMessages } from './commands/messages.ts'
import { addMigrate } from './commands/migrate.ts'
import { addProfiles } from './commands/profiles.ts'
import { addProviders } from './commands/providers.ts'
import { addPsql } from './commands/psql.ts'
import { addResume } from './commands/resume.ts'
import { addSecret } from './commands/secret.ts'
import { addSend } from './commands/send.ts'
import { addServe } from './commands/serve.ts'
import { addSimulate } from './commands/simulate.ts'
import { addTemplates } from './commands/templates.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

export function programOf(): Command {
  const program = new Command('postrider')
    .description('Notification delivery: runs the service, sends, and looks at what became of it.')
    .version(version)
    .option('--json', 'answer in JSON')
    .option('--url <address>', 'where the server is (default: POSTRIDER_URL, else http://127.0.0.1:4600)')
    .option('--key <key>', 'API key; POSTRIDER_API_KEY keeps it out of the list of processes')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  $ postrider serve
  $ postrider send welcome user-7 --profile email=ada@example.com --wait
  $ postrider messages tail
  $ postrider doctor

Exit codes: 0 done, 1 failed, 2 wrong arguments or configuration, 3 the data folder or the
database is in use, 4 a comparison found differences.
The server is configured by environment variables: postrider serve --help lists them.`,
    )
  const daily = [addServe, addSend, addBulk, addSimulate, addMessages]
  const kept = [addTemplates, addAutomations, addProviders, addProfiles, addLists, addKeys]
  const operation = [addDoctor, addBackup, addExport, addImport, addResume, addSecret, addPsql, addMigrate]
  for (const add of [...daily, ...kept, ...operation, addCompletion]) add(program)
  return program
}
