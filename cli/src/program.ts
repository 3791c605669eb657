/** Every command in one list, and the options that all of them accept. */
import { Command, type OutputConfiguration } from 'commander'
import { addApi } from './commands/access/api.ts'
import { auditEvents } from './commands/access/audit-events.ts'
import { auth } from './commands/access/auth.ts'
import { addKeys } from './commands/access/keys.ts'
import { views } from './commands/access/views.ts'
import { webhooks } from './commands/access/webhooks.ts'
import { addAutomations } from './commands/content/automations.ts'
import { brands } from './commands/content/brands.ts'
import { digests } from './commands/content/digests.ts'
import { events } from './commands/content/events.ts'
import { addProviders } from './commands/content/providers.ts'
import { routingStrategies } from './commands/content/routing-strategies.ts'
import { settings } from './commands/content/settings.ts'
import { addTemplates } from './commands/content/templates.ts'
import { tracking } from './commands/content/tracking.ts'
import { addTranslations } from './commands/content/translations.ts'
import { addBulk } from './commands/messages/bulk.ts'
import { addExplain } from './commands/messages/explain.ts'
import { mailbox } from './commands/messages/mailbox.ts'
import { addMessages } from './commands/messages/messages.ts'
import { requests } from './commands/messages/requests.ts'
import { addSend } from './commands/messages/send.ts'
import { addSimulate } from './commands/messages/simulate.ts'
import { addBackup } from './commands/operation/backup.ts'
import { addCopy } from './commands/operation/copy.ts'
import { deadLetters } from './commands/operation/dead-letters.ts'
import { addDoctor } from './commands/operation/doctor.ts'
import { addExport } from './commands/operation/export.ts'
import { addImport } from './commands/operation/import.ts'
import { addInspect } from './commands/operation/inspect.ts'
import { addMetrics } from './commands/operation/metrics.ts'
import { addMigrate } from './commands/operation/migrate.ts'
import { addOpen } from './commands/operation/open.ts'
import { addPause, addResume } from './commands/operation/pause.ts'
import { addPsql } from './commands/operation/psql.ts'
import { addSecret } from './commands/operation/secret.ts'
import { addServe } from './commands/operation/serve.ts'
import { audiences } from './commands/recipients/audiences.ts'
import { devices } from './commands/recipients/devices.ts'
import { erasures } from './commands/recipients/erasures.ts'
import { addLists } from './commands/recipients/lists.ts'
import { preferences } from './commands/recipients/preferences.ts'
import { addProfiles } from './commands/recipients/profiles.ts'
import { sections } from './commands/recipients/sections.ts'
import { addSuppressions } from './commands/recipients/suppressions.ts'
import { tenants } from './commands/recipients/tenants.ts'
import { topics } from './commands/recipients/topics.ts'
import { addCompletion } from './completion/command.ts'
import { addResource, type Resource } from './operations/resource.ts'
import { version } from './version.ts'

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
  [
    'Content and providers:',
    [
      addTemplates,
      addTranslations,
      events,
      routingStrategies,
      brands,
      addAutomations,
      digests,
      addProviders,
      tracking,
      settings,
    ],
  ],
  [
    'Recipients:',
    [addProfiles, erasures, addLists, audiences, preferences, sections, topics, tenants, devices, addSuppressions],
  ],
  ['Access and integration:', [addKeys, auth, auditEvents, webhooks, views, addApi]],
  [
    'Operation:',
    [
      addServe,
      addOpen,
      addMetrics,
      deadLetters,
      addDoctor,
      addInspect,
      addBackup,
      addExport,
      addImport,
      addCopy,
      addPause,
      addResume,
      addSecret,
      addPsql,
      addMigrate,
    ],
  ],
  ['Shell:', [addCompletion]],
]
