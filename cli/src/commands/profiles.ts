/** `postrider profiles …`: what is stored about people. */
import type { Command } from 'commander'
import { plain, plainJson } from '../plain.ts'
import { withReach } from '../reach.ts'
import { sessionOf } from '../session.ts'
import { addImport } from './profiles/import.ts'

export function addProfiles(program: Command): void {
  const profiles = program.command('profiles').description('Import, show and delete profiles.')
  addImport(profiles)
  addShow(profiles)
  addDelete(profiles)
}

function addShow(profiles: Command): void {
  profiles
    .command('show')
    .description('Show a profile with the preferences of its recipient.')
    .argument('<id>', 'id of the person')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider profiles show user-7
  $ postrider profiles show user-7 --json | jq -r .profile.email`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const found = await withReach(session, ({ own }) => own.profiles.get(id))
      session.terminal.answer(found, () => plainJson(found, 2))
    })
}

function addDelete(profiles: Command): void {
  profiles
    .command('delete')
    .description('Delete a profile and its preferences.')
    .argument('<id>', 'id of the person')
    .option('--erase', 'remove everything about the person: messages, lists, tenants, devices, jobs')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider profiles delete user-7
  $ postrider profiles delete user-7 --erase

Without --erase messages and subscriptions of the person stay.`,
    )
    .action(async (id: string, { erase }: { erase?: boolean }, command: Command) => {
      const session = sessionOf(command)
      const reply = await withReach(session, ({ own }) => own.profiles.delete(id, erase ? { erase } : {}))
      session.terminal.answer({ id, ...reply }, () =>
        erase ? `Erasing ${plain(id)}: ${plain('id' in reply ? reply.id : '')}` : `Deleted ${plain(id)}.`,
      )
    })
}
