/** `postrider inspect bounce` says of a mail what the server would do, and why, without a server. */
import { readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type InspectedBounce, readConfig, startServer } from '@postrider/server'
import { expect, onTestFinished, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { engineOn } from '../support/engine.ts'
import { insertMessage, insertUnrecognizedBounce } from '../support/rows.ts'
import { json, run } from './in-process.ts'

const TOKEN = 'a'.repeat(52)
const filled = (name: string) =>
  readFileSync(new URL(`../bounces/${name}.eml`, import.meta.url), 'latin1')
    .replaceAll('@@BOUNCE@@', `bounces+${TOKEN}@example.org`)
    .replaceAll('@@RCPT@@', 'ada@example.com')
    .replaceAll('@@COPY@@', 'bob@example.net')

async function fileOf(name: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'postrider-inspect-')), `${name}.eml`)
  await writeFile(file, filled(name), 'latin1')
  return file
}

test.each([
  ['dragonfly-empty-from', 'bounce', 'notice', 'HARD', 'ada@example.com', 'gone'],
  ['workmail-fields-in-text', 'bounce', 'notice_fields', 'SOFT', null, 'other_code'],
  ['exim-unrouteable', 'bounce', 'notice', 'SOFT', null, 'no_code'],
  ['postfix-forwarded-alias', 'bounce', 'status_report', 'SOFT', null, 'on_the_way'],
  ['exim-sender-refused', 'bounce', 'notice', 'SOFT', null, 'sender'],
])('%s is a %s by the rule %s: %s', async (name, kind, rule, result, suppressed, why) => {
  const inspected = await json<InspectedBounce>(['inspect', 'bounce', await fileOf(name)])
  expect(inspected).toMatchObject({ kind, rule, bounceAddresses: ['bounces+********@example.org'] })
  expect(inspected.recipients).toMatchObject([{ result, suppressed, why }])
  expect(JSON.stringify(inspected)).not.toContain(TOKEN)
})

test('a text has the effect, the reason and the words of the mail server', async () => {
  const { code, out } = await run(['inspect', 'bounce', await fileOf('exim-two-recipients')])
  expect(code).toBe(0)
  expect(out.split('\n')).toEqual([
    'Bounce: a notice in words (notice), from Mailer-Daemon@mx.example.org',
    '  bob@example.net: failed 5.2.2, SOFT; nothing is suppressed',
    '    the words speak of a full mailbox, a limit, or a failure that passes',
    expect.stringMatching(/^ {4}bob@example\.net host mx\.example\.net .* 552 5\.2\.2 mailbox full$/),
    '  ada@example.com: failed 5.1.1, HARD; ada@example.com is suppressed',
    '    the code says that the address does not exist',
    expect.stringMatching(/^ {4}ada@example\.com host .* 550 5\.1\.1 no such mailbox$/),
    'It came to bounces+********@example.org',
    '',
  ])
})

test('a warning, an answer and a complaint say what they are', async () => {
  const text = async (name: string, ...options: string[]) =>
    (await run(['inspect', 'bounce', await fileOf(name), ...options])).out
  expect(await text('exim-delay-warning')).toMatch(/^Ignored: a warning in words: .* \(delay_warning\)/)
  const vacation = await text('guard-vacation-repeats-the-subject', '--recipient', 'Ada@example.com')
  expect(vacation).toMatch(/^Ignored: an automatic reply \(auto_reply\)/)
  expect(await text('guard-answer-of-a-person')).toContain('If it is a bounce')
  expect(await text('microsoft-complaint-posted')).toContain('where the mail was sent to it: ada@example.com')
})

test('another recipient is one that the mail was forwarded to; standard input is read; a missing file is named', async () => {
  const options = ['--recipient', 'eve@example.com', '--json']
  const { out } = await run(['inspect', 'bounce', '-', ...options], { input: filled('dragonfly-empty-from') })
  expect(JSON.parse(out).recipients).toMatchObject([{ result: 'SOFT', suppressed: null, why: 'on_the_way' }])
  const missing = await run(['inspect', 'bounce', '/nowhere/x.eml'])
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('/nowhere/x.eml cannot be read')])
})

test('a mail is read with its envelope sender, as a server reads it by LMTP', async () => {
  const mail =
    'From: Info <info@mx.example.org>\r\nSubject: Undelivered mail\r\n\r\n<ada@example.com>: 550 5.1.1 gone\r\n'
  const kindWith = async (...options: string[]) => {
    const { out } = await run(['inspect', 'bounce', '-', '--json', ...options], { input: mail })
    return JSON.parse(out).kind
  }
  expect(await kindWith()).toBe('ignored')
  expect(await kindWith('--envelope-sender', 'info@mx.example.org')).toBe('ignored')
  expect(await kindWith('--envelope-sender', '')).toBe('bounce')
})

test('the mails that a server did not understand are listed, and printed as they came', async () => {
  const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
  const database = await databaseEnvironment()
  const options = { POSTRIDER_PORT: '0', POSTRIDER_LOG_LEVEL: 'silent', POSTRIDER_API_KEY: apiKey, ...database }
  const server = await startServer(readConfig(options))
  const engine = await engineOn(database.POSTRIDER_DATABASE_URL)
  onTestFinished(async () => {
    await engine.close()
    await server.stop()
  })
  const env = { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: apiKey }
  const empty = await run(['inspect', 'bounces'], { env })
  expect([empty.code, empty.err]).toEqual([0, 'No mail is kept that was not understood.\n'])
  const now = Date.now()
  const message = await insertMessage(engine, now, { status: 'SENT', due_at: null })
  const mail = 'From: robot@mx.example.org\r\nTo: bounces+********@example.org\r\nSubject: Alas\r\n\r\n\xc4ch\r\n'
  const id = await insertUnrecognizedBounce(engine, now, message, mail, { envelopeSender: 'robot@mx.example.org' })
  const { out } = await run(['inspect', 'bounces'], { env })
  expect(out).toContain(`${id}  of the message ${message}\nIgnored: the answer of a person, or a notice`)
  const [line] = (await run(['inspect', 'bounces', '--json'], { env })).out.trim().split('\n')
  expect(JSON.parse(line ?? '')).toMatchObject({
    ...{ id, message_id: message, envelope_sender: 'robot@mx.example.org', kind: 'ignored', rule: 'no_report' },
  })
  const raw = await run(['inspect', 'bounces', '--mail', id], { env })
  expect(raw.out).toBe(Buffer.from(mail, 'latin1').toString())
  const notice =
    'From: Info <info@mx.example.org>\r\nSubject: Undelivered mail\r\n\r\n<ada@example.com>: 550 5.1.1 gone\r\n'
  await insertUnrecognizedBounce(engine, now + 1, message, notice, { envelopeSender: '' })
  const [read] = (await run(['inspect', 'bounces', '--json'], { env })).out.trim().split('\n')
  expect(JSON.parse(read ?? '')).toMatchObject({ envelope_sender: '', kind: 'bounce', rule: 'notice' })
  const missing = await run(['inspect', 'bounces', '--mail', '1-x'], { env })
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('There is no mail 1-x')])
})
