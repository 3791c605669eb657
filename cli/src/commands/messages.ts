/** `postrider messages …`: what became of each send. */
import type { Command } from 'commander'
import { addCancel } from './messages/cancel.ts'
import { addExplain } from './messages/explain.ts'
import { addList } from './messages/list.ts'
import { addShow } from './messages/show.ts'
import { addTail } from './messages/tail.ts'

export function addMessages(program: Command): void {
  const messages = program.command('messages').description('Look at messages: list, show, tail, explain, cancel.')
  for (const add of [addList, addShow, addTail, addExplain, addCancel]) add(messages)
}
