/** `postrider suppressions …`: addresses that nothing is sent to. */
import type { Command } from 'commander'
import { exitCodes } from '../../failure.ts'
import { addResourceCommands } from '../../operations/resource.ts'
import { plain } from '../../plain.ts'
import { withReach } from '../../reach.ts'
import { sessionOf } from '../../session.ts'
import { type EntryOptions, entryOf, entryOptions, type Kind, kindOption } from './suppressions/entry.ts'
import { addImport } from './suppressions/import.ts'

export function addSuppressions(program: Command): void {
  const suppressions = program
    .command('suppressions')
    .description('Suppressed addresses: bounced, unsubscribed or listed by hand; nothing is sent to them.')
  addResourceCommands(suppressions, [
    {
      name: 'list',
      operation: 'suppressions.list',
      columns: ['address', 'kind', 'reason', 'source', 'created', 'ends', 'note'],
      examples: ['list', 'list --address ada@example.com', 'list --reason hard_bounce --json'],
    },
  ])
  for (const addCommand of [addAdd, addRemove, addImport]) addCommand(suppressions)
}

function addAdd(suppressions: Command): void {
  entryOptions(suppressions.command('add'))
    .description('Suppress addresses. An address that is on the list keeps its entry.')
    .argument('<addresses...>', 'email addresses, telephone numbers or, with --kind, device tokens')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider suppressions add ada@example.com --note 'By telephone'
  $ postrider suppressions add +12025550143 --reason unsubscribed
  $ postrider suppressions add ada@example.com --ends 2030-01-01`,
    )
    .action(async (addresses: string[], options: EntryOptions, command: Command) => {
      const session = sessionOf(command)
      const entries = addresses.map((address) => entryOf({ address }, options))
      const reply = await withReach(session, ({ client }) => client.suppressions.add({ suppressions: entries }))
      const { added, existing } = reply
      session.terminal.answer(reply, () => `${added} added, ${existing} on the list already.`)
    })
}

function addRemove(suppressions: Command): void {
  suppressions
    .command('remove')
    .description('Remove addresses from the list: the next send to them is tried.')
    .argument('<addresses...>', 'addresses, or ids of entries')
    .addOption(kindOption())
    .addHelpText(
      'after',
      `
Examples:
  $ postrider suppressions remove ada@example.com
  $ postrider suppressions remove +12025550143 +12025550144

Providers keep lists of their own: remove the address there, too. The exit code is 1 when an address is not on the list.`,
    )
    .action(async (addresses: string[], { kind }: { kind?: Kind }, command: Command) => {
      const session = sessionOf(command)
      const { removed, absent } = await withReach(session, async ({ client }) => {
        const outcome = { removed: [] as string[], absent: [] as string[] }
        for (const address of new Set(addresses)) {
          const { results } = isId(address)
            ? { results: [{ id: address }] }
            : await client.suppressions.list({ address, ...(kind && { kind }) })
          for (const { id } of results) await client.suppressions.delete(id)
          outcome[results.length > 0 ? 'removed' : 'absent'].push(address)
        }
        return outcome
      })
      if (absent.length > 0) process.exitCode = exitCodes.failed
      session.terminal.answer({ removed, absent }, () =>
        [
          ...(removed.length > 0 ? [`Removed ${removed.map(plain).join(', ')}.`] : []),
          ...(absent.length > 0 ? [`Not on the list: ${absent.map(plain).join(', ')}.`] : []),
        ].join('\n'),
      )
    })
}

/** The list shows no address of an erased person: the id stands for it. */
const isId = (text: string) => /^1-[0-9a-f]{8}-[0-9a-f]{24}$/.test(text)
