/** `postrider pause` and `postrider resume`: all deliveries, on a running server or in the database of this machine. */
import type { Command } from 'commander'
import { withReach } from '../../reach.ts'
import { sessionOf } from '../../session.ts'

const REACH = `With an API key, which must be a published one of the production environment, the command calls the running server;
otherwise it opens the database of this machine.`

export function addPause(program: Command): void {
  program
    .command('pause')
    .description('Pause deliveries of every environment on every node, until postrider resume.')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider pause

Calls are answered and sends accepted, but no message, webhook, run of an automation, schedule or digest starts. Calls of
providers in progress end. The pause also holds after restarts. The time limits of messages go on.
${REACH}`,
    )
    .action(async (_options: unknown, command: Command) => {
      const session = sessionOf(command)
      await withReach(session, ({ every: [production] }) => production.service.pause())
      session.terminal.answer({ paused: true }, () => 'Deliveries are paused. To resume them: postrider resume')
    })
}

export function addResume(program: Command): void {
  program
    .command('resume')
    .description('Resume deliveries after postrider pause or postrider serve --paused.')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider resume

Every node starts to deliver the waiting messages. ${REACH}`,
    )
    .action(async (_options: unknown, command: Command) => {
      const session = sessionOf(command)
      await withReach(session, ({ every: [production] }) => production.service.resume())
      session.terminal.answer({ paused: false }, () => 'Deliveries are resumed.')
    })
}
