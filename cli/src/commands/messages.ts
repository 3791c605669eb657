/** `postrider messages …`: what became of each send. */
import type { Command } from 'commander'
import { addResourceCommands } from '../operations/resource.ts'
import { addCancel } from './messages/cancel.ts'
import { addExplain } from './messages/explain.ts'
import { addList } from './messages/list.ts'
import { addShow } from './messages/show.ts'
import { addTail } from './messages/tail.ts'

export function addMessages(program: Command): void {
  const messages = program
    .command('messages')
    .description('Look at messages: list, show, tail, explain, cancel.')
    .addHelpText(
      'after',
      `
The running server is called with a key (POSTRIDER_API_KEY or --key). When none runs, list, show and explain open the
database of this machine and look at the environment of the key, at production without one.`,
    )
  for (const add of [addList, addShow, addTail, addExplain, addCancel]) add(messages)
  addResourceCommands(messages, [
    {
      name: 'output',
      operation: 'messages.output',
      columns: ['channel', 'content.subject', 'content.title', 'content.text'],
      examples: ['output "$MESSAGE"', 'output "$MESSAGE" --json'],
    },
    { name: 'resend', operation: 'messages.resend', needsServer: true, examples: ['resend "$MESSAGE"'] },
    { name: 'archive', operation: 'messages.archive', done: 'Archived {message}', examples: ['archive "$MESSAGE"'] },
  ])
}
