/** `postrider lists …`: lists and their subscribers. */
import { isPostriderError, type List, type Postrider } from '@postrider/client'
import { type Command, Option } from 'commander'
import { existing, exitCodes, Failure } from '../../failure.ts'
import { plain } from '../../plain.ts'
import { withReach } from '../../reach.ts'
import { sessionOf } from '../../session.ts'
import { sheet, table } from '../../table.ts'
import { count } from '../messages/messages/filters.ts'
import { addSubscribe, addUnsubscribe } from './lists/subscribe.ts'

export function addLists(program: Command): void {
  const lists = program.command('lists').description('Manage lists and their subscribers.')
  for (const addCommand of [
    addList,
    addShow,
    addCreate,
    addRename,
    addDelete,
    addRestore,
    addSubscribe,
    addUnsubscribe,
    addSubscribers,
  ])
    addCommand(lists)
}

const LIMIT_MAX = 10_000
const PAGE = 100

const limitOption = () =>
  new Option('-l, --limit <count>', 'maximum number of results').default(PAGE).argParser(count(LIMIT_MAX))

/** The first ones, and whether there are more. */
async function firstOf<T>(items: AsyncIterable<T>, limit: number): Promise<{ results: T[]; more: boolean }> {
  const results: T[] = []
  for await (const item of items) {
    if (results.length === limit) return { results, more: true }
    results.push(item)
  }
  return { results, more: false }
}

function addList(lists: Command): void {
  lists
    .command('list')
    .description('List the lists, ordered by id.')
    .option('--pattern <pattern>', 'only lists whose id matches, such as news.*.eu or news.**')
    .addOption(limitOption())
    .addHelpText(
      'after',
      `
Examples:
  $ postrider lists list
  $ postrider lists list --pattern 'news.**'`,
    )
    .action(async ({ pattern, limit }: { pattern?: string; limit: number }, command: Command) => {
      const session = sessionOf(command)
      const page = await withReach(session, ({ client }) =>
        firstOf(client.lists.list({ limit: PAGE, ...(pattern !== undefined && { pattern }) }), limit),
      )
      session.terminal.answer(page, () => listText(page.results))
      if (page.more) session.terminal.note(`There are more; --limit shows up to ${LIMIT_MAX}.`)
    })
}

function listText(lists: readonly List[]): string {
  if (lists.length === 0) return 'No lists.'
  return table(
    [{ title: 'ID' }, { title: 'NAME', charactersMax: 60 }, { title: 'UPDATED' }],
    lists.map(({ id, name, updated }) => [id, name, updated]),
  )
}

function addShow(lists: Command): void {
  lists
    .command('show')
    .description('Show a list.')
    .argument('<list>', 'id of the list')
    .addHelpText(
      'after',
      `
Example:
  $ postrider lists show news.product.eu`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const list = await withReach(session, ({ client }) => requireList(client, id))
      session.terminal.answer(list, () =>
        sheet([
          ['id', list.id],
          ['name', list.name],
          ['created', list.created],
          ['updated', list.updated],
          ['preferences', list.preferences && JSON.stringify(list.preferences)],
        ]),
      )
    })
}

/** Throws a `Failure` for a list that does not exist. */
function requireList({ lists }: Postrider, id: string): Promise<List> {
  return existing(lists.get(id), 'list', id, 'To see all lists: postrider lists list')
}

const find = (lists: Postrider['lists'], id: string) =>
  lists.get(id).catch((error: unknown) => {
    if (isPostriderError(error, 'not_found')) return undefined
    throw error
  })

function addCreate(lists: Command): void {
  lists
    .command('create')
    .description('Create a list. The first subscription also creates it.')
    .argument('<list>', 'id of the list: 1 to 4 parts separated by dots')
    .option('--name <name>', 'display name (default: the id)')
    .addHelpText(
      'after',
      `
Example:
  $ postrider lists create news.product.eu --name 'Product news, Europe'`,
    )
    .action(async (id: string, { name = id }: { name?: string }, command: Command) => {
      const session = sessionOf(command)
      await withReach(session, async ({ client: { lists } }) => {
        // Writing it anew would take away its preferences.
        if (await find(lists, id))
          throw new Failure(`The list ${plain(id)} exists already`, {
            hint: `To rename it: postrider lists rename ${plain(id)} <name>`,
            exitCode: exitCodes.wrong,
          })
        await lists.put(id, { name })
      })
      session.terminal.answer({ id, name }, () => `Created ${plain(id)}.`)
    })
}

function addRename(lists: Command): void {
  lists
    .command('rename')
    .description('Change the display name of a list.')
    .argument('<list>', 'id of the list')
    .argument('<name>', 'new display name')
    .addHelpText(
      'after',
      `
Example:
  $ postrider lists rename news.product.eu 'Product news'`,
    )
    .action(async (id: string, name: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      await withReach(session, async ({ client }) => {
        const { preferences } = await requireList(client, id)
        await client.lists.put(id, { name, ...(preferences && { preferences }) })
      })
      session.terminal.answer({ id, name }, () => `Renamed ${plain(id)}.`)
    })
}

function addDelete(lists: Command): void {
  lists
    .command('delete')
    .description('Delete a list. It can be restored with its subscriptions.')
    .argument('<list>', 'id of the list')
    .addHelpText(
      'after',
      `
Example:
  $ postrider lists delete news.product.us`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      await withReach(session, async ({ client }) => client.lists.delete((await requireList(client, id)).id))
      session.terminal.answer(
        { id, deleted: true },
        () => `Deleted ${plain(id)}; to restore it: postrider lists restore ${plain(id)}`,
      )
    })
}

function addRestore(lists: Command): void {
  lists
    .command('restore')
    .description('Restore a deleted list and its subscriptions.')
    .argument('<list>', 'id of the list')
    .addHelpText(
      'after',
      `
Example:
  $ postrider lists restore news.product.us`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      await withReach(session, ({ client }) => existing(client.lists.restore(id), 'deleted list', id))
      session.terminal.answer({ id, restored: true }, () => `Restored ${plain(id)}.`)
    })
}

function addSubscribers(lists: Command): void {
  lists
    .command('subscribers')
    .description('List the subscribers of a list, ordered by recipient id.')
    .argument('<list>', 'id of the list')
    .addOption(limitOption())
    .addHelpText(
      'after',
      `
Examples:
  $ postrider lists subscribers news.product.eu
  $ postrider lists subscribers news.product.eu --limit 10000 --json | jq -r '.results[].recipientId'`,
    )
    .action(async (id: string, { limit }: { limit: number }, command: Command) => {
      const session = sessionOf(command)
      const page = await withReach(session, async ({ client }) => {
        await requireList(client, id)
        return firstOf(client.lists.subscriptions(id, { limit: PAGE }), limit)
      })
      session.terminal.answer(page, () =>
        page.results.length === 0
          ? 'No subscribers.'
          : table(
              [{ title: 'RECIPIENT' }, { title: 'SUBSCRIBED' }, { title: 'PREFERENCES', charactersMax: 80 }],
              page.results.map(({ recipientId, created, preferences }) => [
                recipientId,
                created,
                preferences && JSON.stringify(preferences),
              ]),
            ),
      )
      if (page.more) session.terminal.note(`There are more; --limit shows up to ${LIMIT_MAX}.`)
    })
}
