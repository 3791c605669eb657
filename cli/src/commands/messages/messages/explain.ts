/** `postrider messages explain <id>`: the decision and the attempts that followed. */
import type { Explanation, MessageDetail, MessageExplanation } from '@postrider/client'
import type { SentenceFormat } from '@postrider/client/sentence'
import { englishSteps, stepText } from '@postrider/client/steps'
import type { Command } from 'commander'
import { errorText } from '../../../error-text.ts'
import { existing } from '../../../failure.ts'
import { plain, utcTime } from '../../../plain.ts'
import { withReach } from '../../../reach.ts'
import { sentenceFormatOf } from '../../../sentence-format.ts'
import { sessionOf } from '../../../session.ts'
import { statusStyle } from '../../../status.ts'
import { table } from '../../../table.ts'
import type { Terminal } from '../../../terminal.ts'
import { MESSAGES_HINT } from './show.ts'

export function addExplain(messages: Command): void {
  messages
    .command('explain')
    .description('Explain a message: the decision and its reasons, every candidate, every attempt.')
    .argument('<id>', 'id of the message')
    .addHelpText(
      'after',
      `
Example:
  $ postrider messages explain 1-691f0000-0000000000000000000000ab`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const [explanation, message, format] = await withReach(session, async ({ client }) => {
        const [reply, record] = await Promise.all([
          existing(client.messages.explain(id), 'message', id, MESSAGES_HINT),
          existing(client.messages.get(id), 'message', id, MESSAGES_HINT),
        ])
        return [reply, record, await sentenceFormatOf(client, { explanation: reply })] as const
      })
      session.terminal.answer(explanation, () => explanationText(session.terminal, explanation, message, format))
    })
}

interface Ending {
  reason?: string | undefined
  error?: string | undefined
}

function because({ reason, error }: Ending): string {
  const why = [reason, errorText(error)].flatMap((part) => (part ? [plain(part)] : []))
  return why.length > 0 ? ` (${why.join(': ')})` : ''
}

function explanationText(
  terminal: Terminal,
  explanation: MessageExplanation,
  message: MessageDetail,
  format: SentenceFormat,
): string {
  const { decision } = explanation
  const head = `${terminal.style('bold', plain(message.id))}  ${statusStyle(terminal, message.status)}${because(message)}`
  const isFinal = decision.status === message.status && because(decision) === because(message)
  const decided = isFinal ? '' : `Decided: ${plain(decision.status)}${because(decision)}`
  return [
    [head, decided].filter(Boolean).join('\n'),
    tablesText(explanation, format),
    errorsText(explanation),
    attemptsText(terminal, explanation),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** The decision with its steps and candidates. */
export const decisionText = (explanation: Explanation, format: SentenceFormat): string =>
  `Decided: ${plain(explanation.decision.status)}${because(explanation.decision)}\n\n${tablesText(explanation, format)}`

function tablesText({ steps, candidates, warnings = [] }: Explanation, format: SentenceFormat): string {
  // From the codes: the sentences of the server are masked for viewers.
  const taken = steps.map((step) => [step.step, step.outcome, stepText(englishSteps, step, format)])
  const candidateRows = candidates.map(({ channel, provider, title, selected, reason }) => [
    channel,
    provider,
    title,
    selected ? 'selected' : (reason ?? 'not used'),
  ])
  return [
    table([{ title: 'STEP' }, { title: 'OUTCOME' }, { title: 'SUMMARY', charactersMax: 200 }], taken),
    candidateRows.length > 0
      ? table(
          [{ title: 'CHANNEL' }, { title: 'PROVIDER' }, { title: 'INTEGRATION' }, { title: 'CANDIDATE' }],
          candidateRows,
        )
      : '',
    warnings.map((warning) => `Warning: ${plain(warning)}`).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Errors of rendering, and of deliveries before their first attempt. */
function errorsText({ rendered, deliveries }: MessageExplanation): string {
  const untried = deliveries.filter(({ attempts_total }) => attempts_total === 0)
  const errors = new Map<string, (string | undefined)[]>()
  for (const { channel, provider, integration, title, error } of [...rendered, ...untried])
    if (error) errors.set(`${channel} ${integration}`, [channel, provider, title, errorText(error)])
  const columns = [
    { title: 'CHANNEL' },
    { title: 'PROVIDER' },
    { title: 'INTEGRATION' },
    { title: 'ERROR', charactersMax: 120 },
  ]
  return errors.size > 0 ? table(columns, [...errors.values()]) : ''
}

function attemptsText(terminal: Terminal, { deliveries }: MessageExplanation): string {
  const rows = deliveries.flatMap((delivery) =>
    delivery.attempts.map((attempt) => [
      utcTime(attempt.started),
      delivery.channel,
      delivery.provider,
      delivery.title,
      attempt.number,
      attempt.outcome ?? 'in progress',
      errorText(attempt.error),
    ]),
  )
  if (rows.length === 0) return ''
  const columns = ['WHEN', 'CHANNEL', 'PROVIDER', 'INTEGRATION', 'ATTEMPT', 'OUTCOME'].map((title) => ({ title }))
  const shown = table([...columns, { title: 'ERROR', charactersMax: 120 }], rows)
  const next = deliveries.find(({ next_attempt_at }) => next_attempt_at !== undefined)?.next_attempt_at
  return next === undefined ? shown : `${shown}\n${terminal.style('dim', `Next attempt ${utcTime(next)}`)}`
}
