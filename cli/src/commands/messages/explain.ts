/** `postrider explain`: what would become of a send, in a sentence and step by step; nothing is stored or sent. */
import type { Explanation } from '@postrider/client'
import { forecast, type SentenceFormat, sentenceText } from '@postrider/client/sentence'
import type { Command } from 'commander'
import { plain } from '../../plain.ts'
import { withReach } from '../../reach.ts'
import { renderedText } from '../../rendered-text.ts'
import { sentenceFormatOf } from '../../sentence-format.ts'
import { sessionOf } from '../../session.ts'
import type { Terminal } from '../../terminal.ts'
import { decisionText } from './messages/explain.ts'
import { type BodyOptions, bodyOf, withBodyOptions } from './send.ts'

interface ExplainOptions extends BodyOptions {
  unavailable?: string[]
}

export function addExplain(program: Command): void {
  withBodyOptions(program.command('explain'))
    .description('Explain a send without sending it: the decision, every candidate, the rendered content.')
    .option('--unavailable <names...>', 'explain an outage of these integrations: ids, or keys of providers')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider explain welcome user-7 --data name=Ada
  $ postrider explain --json-body message.json --json | jq '.candidates'
  $ postrider explain welcome user-7 --unavailable smtp

For a message that exists: postrider messages explain <id>`,
    )
    .action(
      async (event: string | undefined, recipient: string | undefined, options: ExplainOptions, command: Command) => {
        const session = sessionOf(command)
        const body = bodyOf(event, recipient, options)
        const { unavailable } = options
        const [explanation, format] = await withReach(session, async ({ client }) => {
          const reply = await client.explain(body, unavailable && { unavailable })
          return [reply, await sentenceFormatOf(client, { explanation: reply })] as const
        })
        session.terminal.answer(explanation, () => explanationText(session.terminal, explanation, format))
      },
    )
}

const explanationText = (terminal: Terminal, explanation: Explanation, format: SentenceFormat): string =>
  [
    `${plain(sentenceText(forecast(explanation, { format })))}\n${decisionText(explanation, format)}`,
    ...explanation.rendered.map((candidate) => renderedText(terminal, candidate)),
  ]
    .filter(Boolean)
    .join('\n\n')
