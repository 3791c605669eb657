/** Questions to the person at the terminal; the answer to a secret one is not shown. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { exitCodes, Failure } from './failure.ts'

export type Prompt = (question: string, options?: { secret?: boolean }) => Promise<string>

export interface QuestionStreams {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
}

/** False in scripts and with input from a pipe, where no question can be answered. */
export const canPrompt = () => process.stdin.isTTY === true && process.stderr.isTTY === true

export async function withQuestions<T>(
  work: (prompt: Prompt) => Promise<T>,
  { input, output }: QuestionStreams = { input: process.stdin, output: process.stderr },
): Promise<T> {
  let isHidden = false
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) output.write(chunk)
      done()
    },
  })
  // Without a history: it would keep secrets.
  const terminal = createInterface({ input, output: echo, terminal: true, historySize: 0 })
  const ended = new Promise<never>((_resolve, reject) => {
    const stop = () => reject(new Failure('Stopped', { exitCode: exitCodes.failed }))
    terminal.once('SIGINT', stop)
    terminal.once('close', stop)
  })
  ended.catch(() => undefined)
  const prompt: Prompt = async (question, { secret = false } = {}) => {
    if (secret) output.write(question)
    isHidden = secret
    try {
      return await Promise.race([terminal.question(secret ? '' : question), ended])
    } finally {
      isHidden = false
      if (secret) output.write('\n')
    }
  }
  try {
    return await work(prompt)
  } finally {
    terminal.close()
  }
}
