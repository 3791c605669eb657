/** Copies follow the addressee, are tried again where that may help, and are not sent once the attempt is over. */
import { expect, test } from 'vitest'
import type { SmtpServer } from '../../base/exchange.ts'
import type { BuiltMail } from '../../base/mime/mime.ts'
import { mailToAll } from './copies.ts'
import type { SmtpAnswer } from './session.ts'

const server: SmtpServer = { host: '127.0.0.1', port: 25, security: 'opportunistic' }
const mail: BuiltMail = {
  envelope: { from: 'a@d.example', to: ['jane@d.example'] },
  text: 'Hi',
  needsUtf8: false,
  copies: {
    envelope: { from: 'b@d.example', to: ['c@d.example', 'e@d.example'] },
    toAny: true,
    text: 'Hi',
    needsUtf8: false,
  },
}
const taken: SmtpAnswer = { kind: 'mail', code: 250, response: '250 taken' }
const later: SmtpAnswer = { kind: 'mail', code: 450, response: '450 later' }
const cut = (reached: boolean): SmtpAnswer => ({ kind: 'failure', failure: 'reset', message: 'cut', reached })

async function scene(
  answers: readonly SmtpAnswer[],
  { abortedAt = Number.POSITIVE_INFINITY, timeoutMs = 30_000 } = {},
) {
  const abort = new AbortController()
  const sent: string[][] = []
  const send = async (_server: SmtpServer, { envelope }: BuiltMail) => {
    sent.push(envelope.to)
    // After this answer has been read.
    if (sent.length === abortedAt) setImmediate(() => abort.abort())
    return answers[sent.length - 1] ?? taken
  }
  const answer = await mailToAll({ send }, server, mail, { signal: abort.signal, timeoutMs })
  return { sent: sent.length, response: answer.kind === 'mail' ? answer.response : answer.message }
}

test.each([
  ['taken', [taken, taken], 2, '250 taken'],
  [
    'in part',
    [taken, { ...taken, response: '250 ok; not taken: c@d.example (550 no)' }],
    2,
    '250 taken; not taken: c@d.example (550 no)',
  ],
  [
    'for good',
    [taken, { ...later, code: 550, response: '550 no' }],
    2,
    '250 taken; not taken: c@d.example, e@d.example (550 no)',
  ],
  ['in doubt', [taken, cut(true)], 2, '250 taken; not taken: c@d.example, e@d.example (cut)'],
  ['for now', [taken, cut(false), taken], 3, '250 taken'],
  ['without the addressee', [later], 1, '450 later'],
] as const)('copies that are answered %s', async (_how, answers, sent, response) => {
  expect(await scene(answers)).toEqual({ sent, response })
})

test('an attempt that ends in the pause sends no copy any more', async () => {
  const response = '250 taken; not taken: c@d.example, e@d.example (Aborted)'
  expect(await scene([taken, later, taken], { abortedAt: 2 })).toEqual({ sent: 2, response })
})

test('a pause beyond the time of the attempt is none', async () => {
  expect(await scene([taken, later], { timeoutMs: 500 })).toMatchObject({ sent: 2 })
})
