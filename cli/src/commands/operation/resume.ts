/** `postrider resume`: ends a pause of deliveries, on a running server or in the database of this machine. */
import type { Command } from 'commander'
import { withReach } from '../../reach.ts'
import { sessionOf } from '../../session.ts'

export function addResume(program: Command): void {
  program
    .command('resume')
    .description('Resume deliveries after postrider serve --paused.')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider resume

Every node starts to deliver the waiting messages. With an API key, which must be a published one of the production
environment, the command calls the running server; otherwise it opens the database of this machine.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const session = sessionOf(command)
      await withReach(session, ({ every: [production] }) => production.service.resume())
      session.terminal.answer({ paused: false }, () => 'Deliveries are resumed.')
    })
}
