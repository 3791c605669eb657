/** `postrider keys …`: API keys made, listed and revoked, also when no key is left. */
import { type ApiKey, type CreatedKey, isPostriderError, type KeyEnvironment, type KeyKind } from '@postrider/client'
import { type Command, Option } from 'commander'
import { Failure } from '../failure.ts'
import { plain, utcTime } from '../plain.ts'
import { type Reach, withReach } from '../reach.ts'
import { type Session, sessionOf } from '../session.ts'
import { table } from '../table.ts'

interface NewKey {
  name?: string
  kind?: KeyKind
  environment?: KeyEnvironment
}

export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('Create, list and revoke API keys.')
    .addHelpText(
      'after',
      `
With a key (POSTRIDER_API_KEY or --key) the running server is called. Without one, or when no server runs, the database
is opened directly; the local one belongs to one process at a time, so stop the server first.`,
    )
  addCreate(keys)
  addList(keys)
  addRevoke(keys)
}

function addCreate(keys: Command): void {
  keys
    .command('create')
    .description('Create an API key and print it, this once.')
    .option('--name <name>', 'name for people; the kind unless given')
    .addOption(new Option('--kind <kind>', 'what it may do').choices(['published', 'draft', 'mock']))
    .addOption(new Option('--environment <environment>', 'what it belongs to').choices(['production', 'test']))
    .addHelpText(
      'after',
      `
Examples:
  $ postrider keys create --name backend
  $ postrider keys create --name ci --kind mock --environment test
  $ export POSTRIDER_API_KEY=$(postrider keys create --name shell --json | jq -r .key)

A published key sends published notifications, a draft key drafts; a mock key renders and calls no provider.`,
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

It is shown this once: keep it.`

function addList(keys: Command): void {
  keys
    .command('list')
    .description('List API keys; the keys themselves are not kept.')
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
    ['ID', 'NAME', 'KIND', 'ENVIRONMENT', 'CREATED'].map((title) => ({ title, charactersMax: 60 })),
    results.map(({ id, name, kind, environment, created }) => [id, name, kind, environment, utcTime(created)]),
  )
}

function addRevoke(keys: Command): void {
  keys
    .command('revoke')
    .description('Revoke an API key. It is refused from then on.')
    .argument('<id>', 'the id of the key, as keys list shows it')
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
    hint: 'postrider keys list shows the ids; a key reaches those of its own environment.',
  })
}
