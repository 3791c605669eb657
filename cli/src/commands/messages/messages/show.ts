/** `postrider messages show <id>`: what happened in a sentence, the record, its deliveries and its history. */
import type { HistoryEvent, MessageDetail, Postrider } from '@postrider/client'
import { messageSentence, sentenceText } from '@postrider/client/sentence'
import type { Command } from 'commander'
import { errorText } from '../../../error-text.ts'
import { existing } from '../../../failure.ts'
import { plain, utcTime } from '../../../plain.ts'
import { withReach } from '../../../reach.ts'
import { sentenceFormatOf } from '../../../sentence-format.ts'
import { type Session, sessionOf } from '../../../session.ts'
import { statusStyle } from '../../../status.ts'
import { sheet, table } from '../../../table.ts'
import type { Terminal } from '../../../terminal.ts'
import { detailOf, type Titles } from './history-detail.ts'

export function addShow(messages: Command): void {
  messages
    .command('show')
    .description('Show a message: the reason for its outcome, its status, deliveries and history.')
    .argument('<id>', 'id of the message')
    .addHelpText(
      'after',
      `
Example:
  $ postrider messages show 1-691f0000-0000000000000000000000ab`,
    )
    .action(async (id: string, _options: unknown, command: Command) => show(sessionOf(command), id))
}

/** Where ids of messages are found. */
export const MESSAGES_HINT = 'To see the newest messages: postrider messages list'

async function show(session: Session, id: string): Promise<void> {
  const { terminal } = session
  const [message, explanation, { results: history }, titles, format] = await withReach(session, async ({ client }) => {
    const replies = await Promise.all([
      existing(client.messages.get(id), 'message', id, MESSAGES_HINT),
      existing(client.messages.explain(id), 'message', id, MESSAGES_HINT),
      existing(client.messages.history(id), 'message', id, MESSAGES_HINT),
      integrationTitles(client),
    ])
    const [, reply, { results }] = replies
    return [...replies, await sentenceFormatOf(client, { explanation: reply, history: results })] as const
  })
  terminal.answer({ message, history }, () => {
    const sentence = plain(sentenceText(messageSentence({ message, explanation, history }, { format })))
    const rest = withoutWish(message, history)
    return [
      recordText(terminal, rest.message, sentence),
      deliveriesText(terminal, rest.message, titles),
      historyText(terminal, rest.history, titles),
    ]
      .filter(Boolean)
      .join('\n\n')
  })
}

/** Without the error of a message that the recipient does not want: the sentence has the wish in full. */
function withoutWish(message: MessageDetail, history: readonly HistoryEvent[]) {
  const { reason, error } = message
  if (error === undefined || (reason !== 'UNSUBSCRIBED' && reason !== 'OPT_IN_REQUIRED')) return { message, history }
  const providers = message.providers.map((each) => (each.error === error ? { ...each, error: undefined } : each))
  return {
    message: { ...message, providers, error: undefined },
    history: history.map((event) =>
      'error_message' in event && event.error_message === error ? { ...event, error_message: undefined } : event,
    ) as HistoryEvent[],
  }
}

async function integrationTitles({ providers }: Postrider): Promise<Titles> {
  const titles = new Map<string, string>()
  for await (const { id, title } of providers.list()) titles.set(id, title)
  return titles
}

function recordText(terminal: Terminal, message: MessageDetail, sentence: string): string {
  const title = `${terminal.style('bold', plain(message.id))}  ${statusStyle(terminal, message.status)}`
  return `${title}\n${sentence}\n\n${sheet([
    ['recipient', message.address ?? message.recipient],
    ['event', message.event],
    ['notification', message.notification],
    ['accepted', utcTime(message.enqueued)],
    ['sent', utcTime(message.sent)],
    ['delivered', utcTime(message.delivered)],
    ['opened', utcTime(message.opened)],
    ['clicked', utcTime(message.clicked)],
    ['canceled', utcTime(message.canceledAt)],
    ['reason', message.reason],
    ['error', errorText(message.error)],
    ['tags', message.tags?.join(', ')],
  ])}`
}

function deliveriesText(terminal: Terminal, { providers }: MessageDetail, titles: Titles): string {
  if (providers.length === 0) return ''
  const rows = providers.map(({ provider, integration, channel, status, sent, delivered, error, reference }) => [
    channel?.key ?? '',
    provider ?? '',
    titles.get(integration ?? '') ?? '',
    status,
    utcTime(delivered ?? sent),
    errorText(error) ?? (reference && Object.keys(reference).length > 0 ? JSON.stringify(reference) : ''),
  ])
  return table(
    [
      { title: 'CHANNEL' },
      { title: 'PROVIDER' },
      { title: 'INTEGRATION' },
      { title: 'STATUS', style: (text) => statusStyle(terminal, text) },
      { title: 'WHEN' },
      { title: 'DETAIL' },
    ],
    rows,
  )
}

function historyText(terminal: Terminal, history: readonly HistoryEvent[], titles: Titles): string {
  const rows = history.map((event) => [utcTime(event.ts), event.type, detailOf(event, titles)])
  return table(
    [
      { title: 'WHEN' },
      { title: 'HISTORY', style: (text) => statusStyle(terminal, text) },
      { title: 'DETAIL', charactersMax: 100 },
    ],
    rows,
  )
}
