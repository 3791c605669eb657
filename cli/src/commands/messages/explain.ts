/** `postrider messages explain <id>`: why it went this way. */
import type { MessageDetail, MessageExplanation } from '@postrider/client'
import type { Command } from 'commander'
import { moment, plain } from '../../plain.ts'
import { withReach } from '../../reach.ts'
import { sessionOf } from '../../session.ts'
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
      const [explanation, message] = await withReach(session, ({ own: { messages } }) =>
        Promise.all([messages.explain(id), messages.get(id)]),
      )
      session.terminal.answer(explanation, () => explanationText(session.terminal, explanation, message))
    })
}

interface Ending {
  reason?: string | undefined
  error?: string | undefined
}

function because({ reason, error }: Ending): string {
  const why = [reason, error].flatMap((part) => (part ? [plain(part)] : []))
  return why.length > 0 ? ` (${why.join(': ')})` : ''
}

export function explanationText(terminal: Terminal, explanation: MessageExplanation, message: MessageDetail): string {
  const { decision, steps, candidates, warnings = [] } = explanation
  const head = `${terminal.style('bold', plain(message.id))}  ${statusStyle(terminal, message.status)}${because(message)}`
  const decided = `Decided: ${plain(decision.status)}${because(decision)}`
  const taken = steps.map(({ step, outcome, summary }) => [step, outcome, summary])
  const ways = candidates.map(({ channel, provider, title, selected, reason }) => [
    channel,
    provider,
    title,
    selected ? 'selected' : (reason ?? 'not used'),
  ])
  return [
    `${head}\n${decided}`,
    table([{ title: 'STEP' }, { title: 'OUTCOME' }, { title: 'SUMMARY', charactersMax: 200 }], taken),
    ways.length > 0
      ? table([{ title: 'CHANNEL' }, { title: 'PROVIDER' }, { title: 'INTEGRATION' }, { title: 'CANDIDATE' }], ways)
      : '',
    warnings.map((warning) => `Warning: ${plain(warning)}`).join('\n'),
    faultsText(explanation),
    attemptsText(terminal, explanation),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** What kept words from being made, and deliveries from their first attempt. */
function faultsText({ rendered, deliveries }: MessageExplanation): string {
  const untried = deliveries.filter(({ attempts_total }) => attempts_total === 0)
  const faults = new Map<string, (string | undefined)[]>()
  for (const { channel, provider, integration, title, error } of [...rendered, ...untried])
    if (error) faults.set(`${channel} ${integration}`, [channel, provider, title, error])
  const columns = [
    { title: 'CHANNEL' },
    { title: 'PROVIDER' },
    { title: 'INTEGRATION' },
    { title: 'FAULT', charactersMax: 120 },
  ]
  return faults.size > 0 ? table(columns, [...faults.values()]) : ''
}

function attemptsText(terminal: Terminal, { deliveries }: MessageExplanation): string {
  const rows = deliveries.flatMap((delivery) =>
    delivery.attempts.map((attempt) => [
      moment(attempt.started),
      delivery.channel,
      delivery.provider,
      delivery.title,
      attempt.number,
      attempt.outcome ?? 'under way',
      attempt.error,
    ]),
  )
  if (rows.length === 0) return ''
  const columns = ['WHEN', 'CHANNEL', 'PROVIDER', 'INTEGRATION', 'ATTEMPT', 'OUTCOME'].map((title) => ({ title }))
  const shown = table([...columns, { title: 'ERROR', charactersMax: 120 }], rows)
  const next = deliveries.find(({ next_attempt_at }) => next_attempt_at !== undefined)?.next_attempt_at
  return next === undefined ? shown : `${shown}\n${terminal.style('dim', `Next attempt ${moment(next)}`)}`
}
