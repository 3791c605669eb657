/** A secret that is typed appears nowhere. */
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { withQuestions } from './questions.ts'

function streams() {
  const input = new PassThrough()
  const output = new PassThrough()
  let shown = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  return { input, output, shown: () => shown }
}

test('typed text is echoed, a secret is not', async () => {
  const { input, output, shown } = streams()
  const answers = withQuestions(
    async (prompt) => [await prompt('Host: '), await prompt('Password: ', { secret: true }), await prompt('Port: ')],
    { input, output },
  )
  // One line after the other, as a person types them.
  for (const line of ['mail.example.com', 'hunter2', '587']) {
    await new Promise((resolve) => setImmediate(resolve))
    input.write(`${line}\r`)
  }
  expect(await answers).toEqual(['mail.example.com', 'hunter2', '587'])
  expect(shown()).toMatch(/Host: .*mail\.example\.com[\s\S]*Password: \n[\s\S]*Port: .*587/)
  expect(shown()).not.toContain('hunter2')
})

test('it ends when the person at the terminal goes', async () => {
  const { input, output } = streams()
  const answer = withQuestions((prompt) => prompt('Host: '), { input, output })
  input.write('\x03')
  await expect(answer).rejects.toThrow('Stopped')
})
