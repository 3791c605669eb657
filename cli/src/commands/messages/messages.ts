/** `postrider messages …`: messages and their results. */
import type { Command } from 'commander'
import { addResourceCommands } from '../../operations/resource.ts'
import { addCancel } from './messages/cancel.ts'
import { addExplain } from './messages/explain.ts'
import { addList } from './messages/list.ts'
import { addRelease } from './messages/release.ts'
import { addReplay } from './messages/replay.ts'
import { addShow } from './messages/show.ts'
import { addTail } from './messages/tail.ts'

export function addMessages(program: Command): void {
  const messages = program
    .command('messages')
    .description('Show and manage messages: list, show, tail, explain, cancel, replay, release.')
    .addHelpText(
      'after',
      `
These commands call the running server with an API key (POSTRIDER_API_KEY or --key). Without a key, or if no server is
running, list, show and explain open the database of this machine, in the environment of the key, else in production.`,
    )
  for (const add of [addList, addShow, addTail, addExplain, addCancel, addReplay, addRelease]) add(messages)
  addResourceCommands(messages, [
    {
      name: 'output',
      operation: 'messages.output',
      columns: ['channel', 'content.subject', 'content.title', 'content.text'],
      examples: ['output "$MESSAGE"', 'output "$MESSAGE" --json'],
    },
    { name: 'resend', operation: 'messages.resend', needsServer: true, examples: ['resend "$MESSAGE"'] },
    { name: 'show-replay', operation: 'replays.get', needsServer: true, examples: ['show-replay "$REPLAY"'] },
    { name: 'archive', operation: 'messages.archive', done: 'Archived {message}', examples: ['archive "$MESSAGE"'] },
  ])
}
