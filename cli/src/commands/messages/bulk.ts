/** `postrider bulk …`: bulk jobs, created from a file, and their progress. */
import type { BulkJob } from '@postrider/client'
import type { Command } from 'commander'
import { countText } from '../../count-text.ts'
import { existing } from '../../failure.ts'
import { addResourceCommands } from '../../operations/resource.ts'
import { plain } from '../../plain.ts'
import { withReach } from '../../reach.ts'
import { sessionOf } from '../../session.ts'
import { sheet } from '../../table.ts'
import { addSend } from './bulk/send.ts'

export function addBulk(program: Command): void {
  const bulk = program
    .command('bulk')
    .description('Send a notification to every recipient in a file; show and cancel bulk jobs.')
  addSend(bulk)
  addShow(bulk)
  addResourceCommands(bulk, [
    {
      name: 'list',
      operation: 'bulk.list',
      columns: ['jobId', 'event', 'status', 'received', 'enqueued', 'failures', 'created'],
      examples: ['list', 'list --status PROCESSING'],
    },
    {
      name: 'cancel',
      operation: 'bulk.cancel',
      text: (reply) => canceledText((reply as { job: BulkJob }).job),
      examples: ['cancel "$JOB"'],
      help: 'Messages that are created already are sent. A job that was not run cannot be run any more.',
    },
    {
      name: 'users',
      operation: 'bulk.users',
      columns: ['recipient', 'status', 'messageId'],
      examples: ['users "$JOB"'],
    },
  ])
}

const canceledText = ({ received, enqueued, failures }: BulkJob) =>
  `Canceled: ${countText(enqueued, 'message')} created, ${countText(received - enqueued - failures, 'user')} will get none.`

function addShow(bulk: Command): void {
  bulk
    .command('show')
    .description('Show the progress of a bulk job.')
    .argument('<job>', 'id of the job')
    .addHelpText(
      'after',
      `
Example:
  $ postrider bulk show 1-691f0000-0000000000000000000000ab`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const { job } = await withReach(session, ({ client }) =>
        existing(client.bulk.get(id), 'bulk job', id, 'To see the newest jobs: postrider bulk list'),
      )
      session.terminal.answer({ jobId: id, ...job }, () =>
        sheet([
          ['job', plain(id)],
          ['status', job.status],
          ['users', job.received],
          ['messages', job.enqueued],
          ['failures', job.failures],
        ]),
      )
    })
}
