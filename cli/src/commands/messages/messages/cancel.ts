/** `postrider messages cancel <id>`: cancels a message that has not been sent to a provider. */
import { isPostriderError } from '@postrider/client'
import type { Command } from 'commander'
import { existing, Failure } from '../../../failure.ts'
import { plain } from '../../../plain.ts'
import { runningClientOf, type Session, sessionOf } from '../../../session.ts'
import { statusStyle } from '../../../status.ts'
import { MESSAGES_HINT } from './show.ts'

export function addCancel(messages: Command): void {
  messages
    .command('cancel')
    .description('Cancel a message that has not been sent to a provider.')
    .argument('<id>', 'id of the message')
    .addHelpText(
      'after',
      `
Example:
  $ postrider messages cancel 1-691f0000-0000000000000000000000ab`,
    )
    .action(async (id: string, _options: unknown, command: Command) => cancel(sessionOf(command), id))
}

async function cancel(session: Session, id: string): Promise<void> {
  const { terminal } = session
  const client = await runningClientOf(session)
  const message = await existing(client.messages.cancel(id), 'message', id, MESSAGES_HINT).catch((error: unknown) => {
    if (!isPostriderError(error, 'conflict')) throw error
    throw new Failure(plain(error.message), { hint: `See postrider messages show ${plain(id)}`, cause: error })
  })
  terminal.answer(message, () => `${plain(message.id)} ${statusStyle(terminal, message.status)}`)
}
