/** Every command in one list, and the options that all of them accept. */
import { readFileSync } from 'node:fs'
import { Command, type OutputConfiguration } from 'commander'
import { addApi } from './commands/api.ts'
import { audiences } from './commands/audiences.ts'
import { auditEvents } from './commands/audit-events.ts'
import { auth } from './commands/auth.ts'
import { addAutomations } from './commands/automations.ts'
import { addBackup } from './commands/backup.ts'
import { brands } from './commands/brands.ts'
import { addBulk } from './commands/bulk.ts'
import { addCompletion } from './commands/completion.ts'
import { devices } from './commands/devices.ts'
import { digests } from './commands/digests.ts'
import { addDoctor } from './commands/doctor.ts'
import { erasures } from './commands/erasures.ts'
import { events } from './commands/events.ts'
import { addExplain } from './commands/explain.ts'
import { addExport } from './commands/export.ts'
import { addImport } from './commands/import.ts'
import { addKeys } from './commands/keys.ts'
import { addLists } from './commands/lists.ts'
import { mailbox } from './commands/mailbox.ts'
import { addMessages } from './commands/messages.ts'
import { metrics } from './commands/metrics.ts'
import { addMigrate } from './commands/migrate.ts'
import { preferences } from './commands/preferences.ts'
import { addProfiles } from './commands/profiles.ts'
import { addProviders } from './commands/providers.ts'
import { addPsql } from './commands/psql.ts'
import { requests } from './commands/requests.ts'
import { addResume } from './commands/resume.ts'
import { addSecret } from './commands/secret.ts'
import { sections } from './commands/sections.ts'
import { addSend } from './commands/send.ts'
import { addServe } from './commands/serve.ts'
import { addSimulate } from './commands/simulate.ts'
import { addSuppressions } from './commands/suppressions.ts'
import { addTemplates } from './commands/templates.ts'
import { tenants } from './commands/tenants.ts'
import { topics } from './commands/topics.ts'
import { webhooks } from './commands/webhooks.ts'
import { addResource, type Resource } from './operations/resource.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** `output`: where usage errors are written, of every command. */
export function programOf(output: OutputConfiguration = {}): Command {
  const program = new Command('postrider')
    .description('Notification delivery: run the service, send messages and follow their delivery.')
    .version(version)
    .option('--json', 'print the result as JSON')
    .option('--url <address>', 'address of the server (default: POSTRIDER_URL, or http://127.0.0.1:4600)')
    .option('--key <key>', 'API key (default: POSTRIDER_API_KEY, which keeps the key out of the process list)')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput(output)
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
  for (const [title, parts] of groups)
    for (const part of parts) {
      if (typeof part === 'function') part(program)
      else addResource(program, part)
      program.commands.at(-1)?.helpGroup(title)
    }
  return program
}

/** Drawn from a description, or added by hand. */
type Part = Resource | ((program: Command) => void)

const groups: readonly [title: string, parts: readonly Part[]][] = [
  ['Messages:', [addSend, addBulk, addExplain, addSimulate, addMessages, requests, mailbox]],
  ['Content and providers:', [addTemplates, events, brands, addAutomations, digests, addProviders]],
  [
    'Recipients:',
    [addProfiles, erasures, addLists, audiences, preferences, sections, topics, tenants, devices, addSuppressions],
  ],
  ['Access and integration:', [addKeys, auth, auditEvents, webhooks, addApi]],
  [
    'Operation:',
    [addServe, metrics, addDoctor, addBackup, addExport, addImport, addResume, addSecret, addPsql, addMigrate],
  ],
  ['Shell:', [addCompletion]],
]
