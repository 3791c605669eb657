/** A question that is answered on the terminal; without a terminal, an error that names the option for it. */
import { createInterface } from 'node:readline'
import { exitCodes, Failure } from './failure.ts'
import type { Terminal } from './terminal.ts'

/** Everything but yes is no, the end of the input and Ctrl+C among it. */
export function confirm({ json }: Terminal, question: string): Promise<boolean> {
  if (json || !process.stdin.isTTY || !process.stderr.isTTY)
    throw new Failure('Confirmation needs a terminal', {
      hint: 'Confirm with --yes, or show the changes with --dry-run.',
      exitCode: exitCodes.wrong,
    })
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    prompt.once('SIGINT', () => prompt.close())
    prompt.once('close', () => resolve(false))
    prompt.question(`${question} [y/N] `, (answer) => {
      resolve(/^y(?:es)?$/i.test(answer.trim()))
      prompt.close()
    })
  })
}
