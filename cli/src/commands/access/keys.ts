/** `postrider keys …`: creates, lists, replaces and revokes API keys, also when every key is lost. */
import {
  type ApiKey,
  type CreatedKey,
  isPostriderError,
  type KeyEnvironment,
  type KeyKind,
  type KeyRole,
  type Postrider,
  type PostriderError,
} from '@postrider/client'
import { keyWarningMs } from '@postrider/contract'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { Failure } from '../../failure.ts'
import { plain, utcTime } from '../../plain.ts'
import { type Reach, withReach } from '../../reach.ts'
import { interruptible } from '../../rows/interruption.ts'
import { type Session, sessionOf } from '../../session.ts'
import { table } from '../../table.ts'

interface NewKey {
  name?: string
  kind?: KeyKind
  role?: KeyRole
  environment?: KeyEnvironment
  expires?: string
}

interface Replacement {
  name?: string
  expires?: string
  overlap: number
}

const DAY_MS = 86_400_000
/** So long must another key outlast the last one with full access. */
const WARNING_DAYS = keyWarningMs / DAY_MS
/** A year: an old key that is valid for longer is not being replaced. */
const OVERLAP_DAYS_MAX = 366

const expiry = (what: string) =>
  new Option('--expires <time>', `${what}: a time, or a length from now such as "90 days"`)

export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('Create, list, replace and revoke API keys.')
    .addHelpText(
      'after',
      `
With an API key (POSTRIDER_API_KEY or --key), these commands call the running server. Without a key, or if no server is
running, they open the database directly.`,
    )
  addCreate(keys)
  addList(keys)
  addReplace(keys)
  addUpdate(keys)
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
        'reader',
        'viewer',
      ]),
    )
    .addOption(
      new Option(
        '--environment <environment>',
        'environment of the key (default: that of the API key in use, or production)',
      ).choices(['production', 'test']),
    )
    .addOption(expiry('when calls with the key are refused (default: never)'))
    .addHelpText(
      'after',
      `
Examples:
  $ postrider keys create --name backend
  $ postrider keys create --name ci --kind mock --environment test
  $ postrider keys create --name contractor --role viewer --expires "90 days"
  $ export POSTRIDER_API_KEY=$(postrider keys create --name shell --json | jq -r .key)

Kinds: a published key sends published notifications, a draft key sends drafts, and a mock key renders messages without
calling a provider.

Roles: full may do everything, editor reads everything and changes templates and brands, reader
reads everything, viewer reads with personal data masked.`,
    )
    .action(async (options: NewKey, command: Command) => {
      const session = sessionOf(command)
      // Keys of every environment are made by one of production.
      const created = await withReach(session, ({ every: [mightiest] }) => mightiest.keys.create(options))
      session.terminal.answer(created, () => createdText(session, created))
    })
}

const createdText = ({ terminal }: Session, { id, name, kind, role, environment, expires, key }: CreatedKey) =>
  `Created ${plain(name)} (${plain(id)}): ${kind}, ${role === 'full' ? '' : `${role}, `}${environment}${expires === null ? '' : `, expires ${utcTime(expires)}`}.

  ${terminal.style('bold', plain(key))}

Store it now: it cannot be shown again.`

function addList(keys: Command): void {
  keys
    .command('list')
    .description('List API keys with their end and their last use. The keys themselves are not stored.')
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
    ['ID', 'NAME', 'KIND', 'ROLE', 'ENVIRONMENT', 'CREATED', 'EXPIRES', 'LAST USED'].map((title) => ({
      title,
      charactersMax: 60,
    })),
    results.map(({ id, name, kind, role, environment, created, expires, last_used }) => [
      id,
      name,
      kind,
      role,
      environment,
      utcTime(created),
      expires === null ? 'never' : `${expires <= Date.now() ? 'expired ' : ''}${utcTime(expires)}`,
      last_used === null ? 'never' : [last_used.day, last_used.address ?? ''].filter(Boolean).join(' '),
    ]),
  )
}

function addReplace(keys: Command): void {
  const days = (text: string) => {
    const value = Number(text)
    if (!(value > 0 && value <= OVERLAP_DAYS_MAX))
      throw new InvalidArgumentError(`It must be a number of days up to ${OVERLAP_DAYS_MAX}.`)
    return value
  }
  keys
    .command('replace')
    .description('Create a key like another one, which expires some days later. Both work until then.')
    .argument('<id>', 'id of the old key, as shown by postrider keys list')
    .addOption(new Option('--overlap <days>', 'when the old key expires, in days').default(7).argParser(days))
    .option('--name <name>', 'display name of the new key (default: that of the old one)')
    .addOption(expiry('when the new key expires (default: never)'))
    .addHelpText(
      'after',
      `
Examples:
  $ postrider keys replace T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7
  $ postrider keys replace T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7 --overlap 1 --expires "90 days"

The last published key of role full ends only where the new one is valid for 14 days longer: with --expires, for more
than 14 days and --overlap.

Put the new key where the old one is, and look at LAST USED of postrider keys list: when the new key is used and the old
one no longer, revoke the old one. An old key that ends earlier anyway keeps its end.`,
    )
    .action(async (id: string, options: Replacement, command: Command) => {
      const session = sessionOf(command)
      await withReach(session, (reach) => replace(session, reach, id, options))
    })
}

/** `isKept`: whether the new key still works after a failure to give the old one its end. */
type Ending = { replaced: ApiKey } | { failure: Failure; isKept: boolean }

async function replace(session: Session, { every }: Reach, id: string, options: Replacement): Promise<void> {
  const { terminal } = session
  const end = Date.now() + options.overlap * DAY_MS
  const { client, old } = await findKey(every, id)
  const { kind, role, environment } = old
  const { name = old.name, expires } = options
  const created = await client.keys.create({ name, kind, role, environment, expires })
  // Before the old key ends: a run that is interrupted from here on has shown the key that lasts.
  if (!terminal.json) terminal.answer(created, () => createdText(session, created))
  const endsAnyway = old.expires !== null && old.expires <= end
  const ending = endsAnyway
    ? { replaced: old }
    : await interruptible((stop) => endOldKey(client, id, { end, overlap: options.overlap, created }, stop))
  if ('replaced' in ending) {
    terminal.answer({ created, replaced: ending.replaced }, () => replacedText(ending.replaced))
    return
  }
  if (terminal.json && ending.isKept) terminal.answer({ created, replaced: null }, () => '')
  throw ending.failure
}

async function findKey(every: Reach['every'], id: string): Promise<{ client: Postrider; old: ApiKey }> {
  for (const client of every) {
    const old = (await client.keys.list()).results.find((key) => key.id === id)
    if (old) return { client, old }
  }
  throw unknownKey(id)
}

function replacedText({ id, expires }: ApiKey): string {
  const time = utcTime(expires ?? undefined)
  if (expires !== null && expires <= Date.now()) return `The old key, ${plain(id)}, has expired: ${time}.`
  return `The old key, ${plain(id)}, expires ${time}. When it is not used any more (postrider keys list), revoke it: postrider keys revoke ${plain(id)}`
}

interface End {
  /** Until then both keys work. */
  end: number
  overlap: number
  created: CreatedKey
}

/** The new key is revoked only where the old one keeps its place for sure: one of the two must last. */
async function endOldKey(client: Postrider, id: string, end: End, stop: AbortSignal): Promise<Ending> {
  const expires = new Date(end.end).toISOString()
  try {
    return { replaced: await client.keys.update(id, { expires }, { signal: stop }) }
  } catch (error) {
    // The update may have been made although its reply was lost.
    const keys = await client.keys.list().then(
      ({ results }) => results,
      () => undefined,
    )
    const old = keys?.find((key) => key.id === id)
    if (old && old.expires !== null && old.expires <= end.end) return { replaced: old }
    const kept = (message: string, hint: string): Ending => ({
      failure: new Failure(message, { hint, cause: error }),
      isKept: true,
    })
    if (keys && !old) return kept('The old key was revoked by another call', 'The new key works.')
    if (isPostriderError(error) && isRefused(error)) return await revokeNewKey(client, error, end)
    return kept(
      stop.aborted ? 'Interrupted' : error instanceof Error ? error.message : String(error),
      `The new key works. It is not known whether the old key ends: postrider keys list shows it; postrider keys update ${plain(id)} --expires ${expires} ends it.`,
    )
  }
}

const isRefused = ({ status = 0 }: PostriderError) => status >= 400 && status < 500

async function revokeNewKey(client: Postrider, cause: PostriderError, { created, overlap }: End): Promise<Ending> {
  const isRevoked = await client.keys.revoke(created.id).then(
    () => true,
    () => false,
  )
  const state = isRevoked
    ? 'The new key was revoked.'
    : `The new key works; to revoke it: postrider keys revoke ${plain(created.id)}`
  const failure =
    cause.code === 'in_use'
      ? new Failure(
          `The new key must be valid for ${WARNING_DAYS} days longer than the old one, which is the last published key of role full in the environment`,
          {
            hint: `With --overlap ${overlap}, --expires must be more than ${overlap + WARNING_DAYS} days from now, or absent. ${state}`,
            cause,
          },
        )
      : new Failure(cause.message, { hint: state, cause })
  return { failure, isKept: !isRevoked }
}

function addUpdate(keys: Command): void {
  keys
    .command('update')
    .description('Set when an API key expires.')
    .argument('<id>', 'id of the key, as shown by postrider keys list')
    .addOption(
      new Option('--expires <time>', 'time, length from now such as "90 days", or never').makeOptionMandatory(),
    )
    .addHelpText(
      'after',
      `
Examples:
  $ postrider keys update T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7 --expires "30 days"
  $ postrider keys update T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7 --expires never`,
    )
    .action(async (id: string, { expires }: { expires: string }, command: Command) => {
      const session = sessionOf(command)
      const key = await withReach(session, (reach) =>
        inItsEnvironment(reach, id, ({ keys }) => keys.update(id, { expires: expires === 'never' ? null : expires })),
      )
      session.terminal.answer(key, () =>
        key.expires === null ? `${plain(id)} does not expire.` : `${plain(id)} expires ${utcTime(key.expires)}.`,
      )
    })
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
      await withReach(session, (reach) => inItsEnvironment(reach, id, ({ keys }) => keys.revoke(id)))
      session.terminal.answer({ id, revoked: true }, () => `Revoked ${plain(id)}.`)
    })
}

/** An id does not say which environment it belongs to. */
async function inItsEnvironment<T>({ every }: Reach, id: string, act: (client: Postrider) => Promise<T>): Promise<T> {
  for (const client of every)
    try {
      return await act(client)
    } catch (error) {
      if (!isPostriderError(error, 'not_found')) throw error
    }
  throw unknownKey(id)
}

const unknownKey = (id: string) =>
  new Failure(`Unknown key \`${plain(id)}\``, {
    hint: 'postrider keys list shows the ids. An API key reaches keys of its own environment only.',
  })
