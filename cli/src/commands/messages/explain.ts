/** `postrider messages explain <id>`: why it went this way. */
import type { MessageExplanation } from '@postrider/client'
import type { Command } from 'commander'
import { moment, plain } from '../../plain.ts'
import { clientOf, sessionOf } from '../../session.ts'
import { statusStyle } from '../../status.ts'
import { table } from '../../table.ts'
import type { Terminal } from '../../terminal.ts'

export function addExplain(messages: Command): void {
  messages
    .command('explain')
    .description('Explain a message: the decision with its facts, every candidate, every attempt.')
    .argument('<id>', 'the message id')
    .addHelpText(
      'after',
      `
Example:
  $ postrider messages explain 1-691f0000-0000000000000000000000ab`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const explanation = await clientOf(session).messages.explain(id)
      session.terminal.answer(explanation, () => explanationText(session.terminal, explanation))
    })
}

export function explanationText(terminal: Terminal, explanation: MessageExplanation): string {
  const { message, decision, steps, candidates } = explanation
  const why = [decision.reason, decision.error].filter(Boolean).map(plain).join(': ')
  const head = `${terminal.style('bold', plain(message.id))}  ${statusStyle(terminal, message.status)}`
  const decided = `Decided: ${plain(decision.status)}${why ? ` (${why})` : ''}`
  const taken = steps.map(({ step, outcome, summary }) => [step, outcome, summary])
  const ways = candidates.map(({ channel, provider, selected, reason }) => [
    channel,
    provider,
    selected ? 'selected' : (reason ?? 'not used'),
  ])
  return [
    `${head}\n${decided}`,
    table([{ title: 'STEP' }, { title: 'OUTCOME' }, { title: 'SUMMARY', charactersMax: 200 }], taken),
    ways.length > 0 ? table([{ title: 'CHANNEL' }, { title: 'PROVIDER' }, { title: 'CANDIDATE' }], ways) : '',
    attemptsText(terminal, explanation),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function attemptsText(terminal: Terminal, { deliveries }: MessageExplanation): string {
  const rows = deliveries.flatMap((delivery) =>
    delivery.attempts.map((attempt) => [
      moment(attempt.started),
      delivery.channel,
      delivery.provider,
      attempt.number,
      attempt.outcome ?? 'under way',
      attempt.error,
    ]),
  )
  if (rows.length === 0) return ''
  const columns = ['WHEN', 'CHANNEL', 'PROVIDER', 'ATTEMPT', 'OUTCOME'].map((title) => ({ title }))
  const shown = table([...columns, { title: 'ERROR', charactersMax: 120 }], rows)
  const next = deliveries.find(({ next_attempt_at }) => next_attempt_at !== undefined)?.next_attempt_at
  return next === undefined ? shown : `${shown}\n${terminal.style('dim', `Next attempt ${moment(next)}`)}`
}
