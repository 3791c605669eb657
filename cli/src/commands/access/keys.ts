/** `postrider keys …`: creates, lists and revokes API keys, also when every key is lost. */
import {
  type ApiKey,
  type CreatedKey,
  isPostriderError,
  type KeyEnvironment,
  type KeyKind,
  type KeyRole,
} from '@postrider/client'
import { type Command, Option } from 'commander'
import { Failure } from '../../failure.ts'
import { plain, utcTime } from '../../plain.ts'
import { type Reach, withReach } from '../../reach.ts'
import { type Session, sessionOf } from '../../session.ts'
import { table } from '../../table.ts'

interface NewKey {
  name?: string
  kind?: KeyKind
  role?: KeyRole
  environment?: KeyEnvironment
}

export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('Create, list and revoke API keys.')
    .addHelpText(
      'after',
      `
With an API key (POSTRIDER_API_KEY or --key), these commands call the running server. Without a key, or if no server is
running, they open the database directly.`,
    )
  addCreate(keys)
  addList(keys)
  addRevoke(keys)
}

function addCreate(keys: Command): void {
  keys
    .command('create')
    .description('Create an API key and print it. It cannot be shown again.')
    .option('--name <name>', 'display name (default: the kind)')
    .addOption(
      new Option('--kind <kind>', 'permissions of the key; see below (default: published)').choices([
        'published',
        'draft',
        'mock',
      ]),
    )
    .addOption(
      new Option('--role <role>', 'changes and reads of the key; see below (default: full)').choices([
        'full',
        'editor',
        'viewer',
      ]),
    )
    .addOption(
      new Option(
        '--environment <environment>',
        'environment of the key (default: that of the API key in use, or production)',
      ).choices(['production', 'test']),
    )
    .addHelpText(
      'after',
      `
Examples:
  $ postrider keys create --name backend
  $ postrider keys create --name ci --kind mock --environment test
  $ export POSTRIDER_API_KEY=$(postrider keys create --name shell --json | jq -r .key)

Kinds: a published key sends published notifications, a draft key sends drafts, and a mock key renders messages without
calling a provider.

Roles: full may do everything, editor reads and changes templates and brands, viewer reads with personal data masked.`,
    )
    .action(async (options: NewKey, command: Command) => {
      const session = sessionOf(command)
      // Keys of every environment are made by one of production.
      const created = await withReach(session, ({ every: [mightiest] }) => mightiest.keys.create(options))
      session.terminal.answer(created, () => createdText(session, created))
    })
}

const createdText = ({ terminal }: Session, { id, name, kind, environment, key }: CreatedKey) =>
  `Created ${plain(name)} (${plain(id)}): ${kind}, ${environment}.

  ${terminal.style('bold', plain(key))}

Store it now: it cannot be shown again.`

function addList(keys: Command): void {
  keys
    .command('list')
    .description('List API keys by id and name. The keys themselves are not stored.')
    .addHelpText(
      'after',
      `
Example:
  $ postrider keys list`,
    )
    .action(async (_options: unknown, command: Command) => {
      const session = sessionOf(command)
      const results = await withReach(session, listed)
      session.terminal.answer({ results }, () => listText(results))
    })
}

async function listed({ every }: Reach): Promise<ApiKey[]> {
  const lists = await Promise.all(every.map(({ keys }) => keys.list()))
  return lists.flatMap(({ results }) => results)
}

function listText(results: readonly ApiKey[]): string {
  if (results.length === 0) return 'No keys.'
  return table(
    ['ID', 'NAME', 'KIND', 'ROLE', 'ENVIRONMENT', 'CREATED'].map((title) => ({ title, charactersMax: 60 })),
    results.map(({ id, name, kind, role, environment, created }) => [
      id,
      name,
      kind,
      role,
      environment,
      utcTime(created),
    ]),
  )
}

function addRevoke(keys: Command): void {
  keys
    .command('revoke')
    .description('Revoke an API key. Requests with it are rejected from then on.')
    .argument('<id>', 'id of the key, as shown by postrider keys list')
    .addHelpText(
      'after',
      `
Example:
  $ postrider keys revoke T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      await withReach(session, (reach) => revoke(reach, id))
      session.terminal.answer({ id, revoked: true }, () => `Revoked ${plain(id)}.`)
    })
}

/** An id does not say which environment it belongs to. */
async function revoke({ every }: Reach, id: string): Promise<void> {
  for (const { keys } of every)
    try {
      return await keys.revoke(id)
    } catch (error) {
      if (!isPostriderError(error, 'not_found')) throw error
    }
  throw new Failure(`Unknown key \`${plain(id)}\``, {
    hint: 'postrider keys list shows the ids. An API key can revoke keys of its own environment only.',
  })
}
