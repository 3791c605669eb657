/** `postrider profiles …`: the stored data of recipients. */
import type { Command } from 'commander'
import { assign, type Fields } from '../../assign.ts'
import { existing, exitCodes, Failure } from '../../failure.ts'
import { readObject } from '../../json-file.ts'
import { addResourceCommands } from '../../operations/resource.ts'
import { plain, plainJson } from '../../plain.ts'
import { withReach } from '../../reach.ts'
import { sessionOf } from '../../session.ts'
import { table } from '../../table.ts'
import { addImport } from './profiles/import.ts'

export function addProfiles(program: Command): void {
  const profiles = program.command('profiles').description('Import, list, find, write, show and delete profiles.')
  for (const addCommand of [addImport, addSet, addShow, addLists, addDelete]) addCommand(profiles)
  addResourceCommands(profiles, [
    {
      name: 'list',
      operation: 'profiles.list',
      columns: ['id', 'name', 'email', 'phone_number', 'updated'],
      examples: ['list', 'list --search ada@'],
    },
    {
      name: 'find',
      operation: 'profiles.list',
      description: 'Find profiles by the beginning of an id, an address, a number or a name.',
      arguments: { search: 'text' },
      columns: ['id', 'name', 'email', 'phone_number', 'updated'],
      examples: ['find ada@', 'find "+1 202 555"', 'find lovelace'],
    },
    {
      name: 'tenants',
      operation: 'memberships.list',
      arguments: { user_id: 'id' },
      columns: ['tenant_id', 'profile'],
      examples: ['tenants user-7'],
    },
    {
      name: 'leave-tenants',
      operation: 'memberships.clear',
      arguments: { user_id: 'id' },
      done: 'Removed {id} from every tenant',
      examples: ['leave-tenants user-7'],
    },
  ])
}

function addSet(profiles: Command): void {
  profiles
    .command('set')
    .description('Set fields of a profile. Creates the profile if it does not exist.')
    .argument('<id>', 'id of the recipient')
    .argument('[key=value...]', 'field to set; key:=json for values other than text', assign)
    .option('--json-body <file>', 'fields as a JSON object, from a file or - (standard input)')
    .option('--replace', 'replace the whole profile instead of merging')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider profiles set user-7 email=ada@example.com name=Ada
  $ postrider profiles set user-7 'address:={"city":"London"}' vip:=true
  $ cat ada.json | postrider profiles set user-7 --json-body - --replace`,
    )
    .action(async (id: string, fields: Fields | undefined, options: SetOptions, command: Command) => {
      const session = sessionOf(command)
      const { jsonBody, replace } = options
      if (Object.keys(fields ?? {}).length === 0 && jsonBody === undefined)
        throw new Failure('No field is given', {
          hint: 'postrider profiles set user-7 email=ada@example.com',
          exitCode: exitCodes.wrong,
        })
      const profile = { ...(jsonBody === undefined ? {} : readObject(jsonBody)), ...fields }
      await withReach(session, ({ client }) =>
        replace ? client.profiles.replace(id, { profile }) : client.profiles.merge(id, { profile }),
      )
      session.terminal.answer({ id, written: Object.keys(profile) }, () => `Wrote ${plain(id)}.`)
    })
}

interface SetOptions {
  jsonBody?: string
  replace?: boolean
}

function addLists(profiles: Command): void {
  profiles
    .command('lists')
    .description('List the lists that a recipient is subscribed to.')
    .argument('<id>', 'id of the recipient')
    .addHelpText(
      'after',
      `
Example:
  $ postrider profiles lists user-7`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const results = await withReach(session, async ({ client }) => {
        const subscriptions = []
        for await (const list of client.profiles.lists(id)) subscriptions.push(list)
        return subscriptions
      })
      session.terminal.answer({ results }, () =>
        results.length === 0
          ? 'No subscriptions.'
          : table(
              [{ title: 'LIST' }, { title: 'NAME', charactersMax: 60 }],
              results.map((list) => [list.id, list.name]),
            ),
      )
    })
}

function addShow(profiles: Command): void {
  profiles
    .command('show')
    .description('Show a profile and the preferences of the recipient.')
    .argument('<id>', 'id of the recipient')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider profiles show user-7
  $ postrider profiles show user-7 --json | jq -r .profile.email`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const profile = await withReach(session, ({ client }) => existing(client.profiles.get(id), 'profile', id))
      session.terminal.answer(profile, () => plainJson(profile, 2))
    })
}

function addDelete(profiles: Command): void {
  profiles
    .command('delete')
    .description('Delete a profile and its preferences.')
    .argument('<id>', 'id of the recipient')
    .option('--erase', 'erase all data of the recipient: messages, lists, tenants, devices, jobs')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider profiles delete user-7
  $ postrider profiles delete user-7 --erase

Without --erase, messages and subscriptions of the recipient are kept.`,
    )
    .action(async (id: string, { erase }: { erase?: boolean }, command: Command) => {
      const session = sessionOf(command)
      const reply = await withReach(session, async ({ client }) => {
        // The call itself does not say whether there was a profile. Without one there can be messages to erase.
        if (!erase) await existing(client.profiles.get(id), 'profile', id)
        return client.profiles.delete(id, erase ? { erase } : {})
      })
      session.terminal.answer({ id, ...reply }, () =>
        'erasureId' in reply ? `Erasing ${plain(id)}: ${plain(reply.erasureId)}` : `Deleted ${plain(id)}.`,
      )
    })
}
