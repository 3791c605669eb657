/** `postrider resume`: ends a pause of deliveries, on a running server or in the database of this machine. */
import type { Command } from 'commander'
import { withReach } from '../reach.ts'
import { sessionOf } from '../session.ts'

export function addResume(program: Command): void {
  program
    .command('resume')
    .description('Deliver again after postrider serve --paused.')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider resume

Everything that waits is delivered from now on, by every node. With a running server this takes a published key of
production; without one, the database of this machine is opened.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const session = sessionOf(command)
      await withReach(session, ({ every: [production] }) => production.service.resume())
      session.terminal.answer({ paused: false }, () => 'Deliveries are resumed.')
    })
}
