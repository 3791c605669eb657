/** `postrider explain`: the decision on a send with the current data; nothing is stored or sent. */
import type { Explanation, SmsSegments } from '@postrider/client'
import type { Command } from 'commander'
import { counted } from '../../counted.ts'
import { plain, plainLine } from '../../plain.ts'
import { withReach } from '../../reach.ts'
import { sessionOf } from '../../session.ts'
import type { Terminal } from '../../terminal.ts'
import { decisionText } from './messages/explain.ts'
import { type BodyOptions, bodyOf, withBodyOptions } from './send.ts'

export function addExplain(program: Command): void {
  withBodyOptions(program.command('explain'))
    .description('Explain a send without sending it: the decision, every candidate, the rendered content.')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider explain welcome user-7 --data name=Ada
  $ postrider explain --json-body message.json --json | jq '.candidates'

For a message that exists: postrider messages explain <id>`,
    )
    .action(
      async (event: string | undefined, recipient: string | undefined, options: BodyOptions, command: Command) => {
        const session = sessionOf(command)
        const body = bodyOf(event, recipient, options)
        const explanation = await withReach(session, ({ own }) => own.explain(body))
        session.terminal.answer(explanation, () => explanationText(session.terminal, explanation))
      },
    )
}

/** `2 segments of GSM-7, 161 characters`. */
const segmentsText = ({ segments, encoding, characters }: SmsSegments): string =>
  `${counted(segments, 'segment')} of ${encoding}, ${counted(characters, 'character')}`

const explanationText = (terminal: Terminal, explanation: Explanation): string =>
  [decisionText(explanation), ...explanation.rendered.map((one) => renderedText(terminal, one))]
    .filter(Boolean)
    .join('\n\n')

function renderedText(
  terminal: Terminal,
  { channel, provider, title, content, error }: Explanation['rendered'][number],
): string {
  const heading = [channel, provider, title].flatMap((part) => (part ? [plain(part)] : [])).join('  ')
  const lines = [content.subject || content.title, content.text || content.body].flatMap((text) =>
    text ? text.trimEnd().split('\n') : [],
  )
  return [
    terminal.style('bold', heading),
    ...lines.map((line) => `  ${plainLine(line)}`.trimEnd()),
    ...(content.sms ? [`  ${terminal.style('dim', segmentsText(content.sms))}`] : []),
    ...(error ? [`  Error: ${plain(error)}`] : []),
  ].join('\n')
}
