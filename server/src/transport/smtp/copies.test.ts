/** Copies follow the addressee, are tried again where that may help, and are not sent once the attempt is over. */
import { expect, test } from 'vitest'
import type { MailReply, SmtpServer } from '../../base/exchange.ts'
import type { BuiltMail } from '../../base/mime/mime.ts'
import { mailToAll, mailToCopies } from './copies.ts'
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
  whole: BuiltMail = mail,
) {
  const abort = new AbortController()
  const sent: string[][] = []
  const send = async (_server: SmtpServer, { envelope }: BuiltMail) => {
    sent.push(envelope.to)
    if (sent.length === abortedAt) abort.abort()
    return answers[sent.length - 1] ?? taken
  }
  const answer = await mailToAll({ send }, server, whole, { signal: abort.signal, timeoutMs })
  const notTaken = (answer.kind === 'mail' ? (answer.copiesNotTaken ?? []) : []).map((copy) => [
    copy.address,
    copy.error,
  ])
  const { deferred } = answer.kind === 'mail' ? answer : {}
  return {
    ...{ sent, response: answer.kind === 'mail' ? answer.response : answer.message, notTaken },
    ...(deferred && { deferred: `${deferred.from}: ${deferred.to.join(', ')}` }),
  }
}

const [jane, c, e] = ['jane@d.example', 'c@d.example', 'e@d.example']
const without = (...addresses: string[]): SmtpAnswer => ({
  ...(taken as MailReply),
  copiesNotTaken: addresses.map((address) => ({ address, error: '452 4.5.3 too many', isTemporary: true })),
})
const refusing = (address: string): SmtpAnswer => ({
  ...(taken as MailReply),
  copiesNotTaken: [{ address, error: '550 no', isTemporary: false }],
})

test.each([
  ['taken', [taken, taken], [[jane], [c, e]], []],
  ['in part', [taken, refusing(c)], [[jane], [c, e]], [[c, '550 no']]],
  [
    'for good',
    [taken, { ...later, code: 550, response: '550 no', refused: 'content' }],
    [[jane], [c, e]],
    [
      [c, '550 no'],
      [e, '550 no'],
    ],
  ],
  [
    'in doubt',
    [taken, cut(true)],
    [[jane], [c, e]],
    [
      [c, 'It may have been sent: reset: cut'],
      [e, 'It may have been sent: reset: cut'],
    ],
  ],
  ['for now in part', [taken, without(e), taken], [[jane], [c, e], [e]], []],
] as const)('copies with an envelope of their own that are answered %s', async (_how, answers, sent, notTaken) => {
  expect(await scene(answers)).toEqual({ sent, response: '250 taken', notTaken })
})

test.each([
  ['450 later', later],
  ['reset: cut', cut(false)],
])('copies that are all answered %s are deferred, with their mail', async (error, answer) => {
  expect(await scene([taken, answer])).toEqual({
    sent: [[jane], [c, e]],
    response: '250 taken',
    notTaken: [
      [c, error],
      [e, error],
    ],
    deferred: `b@d.example: ${c}, ${e}`,
  })
})

test('those are deferred that a later transaction refuses for now', async () => {
  expect(await scene([taken, without(e), later])).toMatchObject({
    notTaken: [[e, '450 later']],
    deferred: `b@d.example: ${e}`,
  })
})

test.each([
  ['taken', [taken], [[jane, c, e]], []],
  ['for good', [refusing(c)], [[jane, c, e]], [[c, '550 no']]],
  ['too many', [without(c, e), without(e), taken], [[jane, c, e], [c, e], [e]], []],
  [
    'too many, then for good',
    [without(c, e), refusing(e)],
    [
      [jane, c, e],
      [c, e],
    ],
    [[e, '550 no']],
  ],
  ['for now, then in doubt', [without(e), cut(true)], [[jane, c, e], [e]], [[e, 'It may have been sent: reset: cut']]],
] as const)('copies in the envelope of the addressee that are answered %s', async (_how, answers, sent, notTaken) => {
  const { copies: _, ...whole } = mail
  const together = { ...whole, envelope: { from: 'a@d.example', to: [jane, c, e] } }
  expect(await scene(answers, {}, together)).toEqual({ sent, response: '250 taken', notTaken })
})

test('without the addressee no copy is sent', async () => {
  expect(await scene([later])).toEqual({ sent: [[jane]], response: '450 later', notTaken: [] })
})

test('copies are deferred once the attempt is over', async () => {
  const result = await scene([taken, without(e)], { abortedAt: 2 })
  expect(result).toMatchObject({
    sent: [[jane], [c, e]],
    notTaken: [[e, 'aborted: Aborted']],
    deferred: `b@d.example: ${e}`,
  })
})

test.each([
  ['for now, before any of them', [later], later, [[c, e]]],
  ['for now in part', [without(e), later], without(e), [[c, e], [e]]],
  ['for good in part', [refusing(c)], refusing(c), [[c, e]]],
] as const)('a mail to copies alone that is answered %s', async (_how, answers, expected, sent) => {
  const to: string[][] = []
  const send = async (_server: SmtpServer, { envelope, toAny }: BuiltMail) => {
    expect(toAny).toBe(true)
    return answers[to.push(envelope.to) - 1] ?? taken
  }
  const limits = { signal: new AbortController().signal, timeoutMs: 30_000 }
  const answer = await mailToCopies(
    { send },
    server,
    { from: 'b@d.example', to: [c, e], text: 'Hi', needsUtf8: false },
    limits,
  )
  expect(to).toEqual(sent)
  const { copiesNotTaken = [] } = expected as MailReply
  expect(answer).toMatchObject(
    copiesNotTaken.length > 0
      ? { code: 250, copiesNotTaken: copiesNotTaken.map(({ address, isTemporary }) => ({ address, isTemporary })) }
      : expected,
  )
})
