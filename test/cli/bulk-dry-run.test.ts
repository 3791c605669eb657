/** `postrider bulk send --dry-run` checks the message and every row against the server, counts what would happen, and sends nothing. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { publish } from '../system/templates.ts'
import { run } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'postrider-dry-run-'))

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
    const { client } = app
    const content = { title: 'Hello {name}', body: 'You have {plan}.' }
    const notification = await publish(client, 'plan', { channels: ['email', 'sms'], content })
    await client.suppressions.add({ suppressions: [{ address: 'gone@example.com' }] })
    await client.preferences.replace('out', { notifications: { [notification]: { status: 'OPTED_OUT' } } })
    await client.profiles.replace('stored', { profile: { email: 'stored@example.com' } })
  })

  const file = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const check = (event: string, csv: string, ...more: string[]) =>
    run(['bulk', 'send', event, '--csv', csv, '--dry-run', ...more], {
      env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey },
    })
  const valid = () =>
    file('valid.csv', 'id,email,phone_number,data.name\na,a@example.com,,Ada\nb,,+12025550143,Grace\n')
  const mixed = () =>
    file(
      'mixed.csv',
      [
        'id,email,phone_number,data.name',
        'by-mail,a@example.com,,Ada',
        'by-phone,,+12025550143,Grace',
        'stored,,,Lin',
        'nowhere,,,Mary',
        'bad,no address,,Alan',
        'gone,gone@example.com,,Edsger',
        'out,out@example.com,,Barbara',
        'lacking,l@example.com,,',
        'by-mail,a@example.com,,Ada',
        'by-mail,a@example.com,,Another',
        ',,,Unnamed',
        '',
      ].join('\n'),
    )

  test('a file whose rows would all be sent exits with 0 and says by which integration', async () => {
    const { code, out } = await check('plan', valid(), '--data', 'plan=gold')
    expect(code).toBe(0)
    expect(out).toMatch(
      /^2 rows checked, nothing was sent: 2 messages would be sent\.\n\nCHANNEL {2}INTEGRATION +PROVIDER +RECIPIENTS\n/,
    )
    expect(out).toMatch(/^email +Mailbox +mailbox +1$/m)
    expect(out).toMatch(/^sms +Mailbox +mailbox +1$/m)
  })

  test('rows that would not be sent are counted by cause and named, those without a variable with its name', async () => {
    const errors = join(folder, 'errors.csv')
    const { code, out, err } = await check('plan', mixed(), '--data', 'plan=gold', '--errors', errors)
    expect(code).toBe(1)
    expect(out.split('\n')[0]).toBe(
      '11 rows checked, nothing was sent: 4 messages would be sent, 4 would not, 1 row repeated, 2 rows invalid.',
    )
    for (const cause of [
      'no address +1 +5',
      'bad address \\(email\\) +1 +6',
      'suppressed address +1 +7',
      'opted out +1 +8',
    ])
      expect(out).toMatch(new RegExp(`^${cause}$`, 'm'))
    expect(out).toMatch(/^1 row without a value for a variable:\nLINE +VARIABLES\n9 +\{name\}$/m)
    expect(
      err
        .split('\n')
        .map((line) => /^line (\d+): ./.exec(line)?.[1])
        .filter(Boolean),
    ).toEqual([...['11', '12', '5', '6', '7', '8']])
    const written = readFileSync(errors, 'utf8').split('\n')
    expect(written.map((line) => line.split(',')[0])).toEqual(['#line', '11', '12', '5', '6', '7', '8', '9', ''])
    expect(written.at(-2)).toBe('9,No value for `{name}`,lacking,l@example.com,,')
  })

  test('a message that goes another way because an address cannot be used is sent, and its row named', async () => {
    const csv = file('other.csv', 'id,email,phone_number,data.name\nother,no address,+12025550143,Ada\n')
    const { code, out } = await check('plan', csv, '--data', 'plan=gold')
    expect([code, out.split('\n')[0]]).toEqual([1, '1 row checked, nothing was sent: 1 message would be sent.'])
    expect(out).toMatch(/^1 row sent another way: an address cannot be used:\nLINE +ADDRESS\n2 +email$/m)
  })

  test('--json has the counts, the causes and the lines', async () => {
    const { code, out } = await check('plan', mixed(), '--data', 'plan=gold', '--json')
    expect(code).toBe(1)
    const value = JSON.parse(out)
    expect(value).toMatchObject({
      ...{ rows: 11, invalid: 2, repeated: 1, sent: 4, delayed: 0, simulated: 0, digested: 0, notSent: 4, failed: 7 },
      deliveries: [
        { channel: 'email', provider: 'mailbox', title: 'Mailbox', recipients: 3 },
        { channel: 'sms', provider: 'mailbox', recipients: 1 },
      ],
      missing: { rows: 1, first: [{ line: 9, variables: ['{name}'] }] },
      problems: [],
    })
    expect(value.causes).toContainEqual({
      ...{ cause: 'suppressed address', status: 'UNDELIVERABLE', reason: 'SUPPRESSED', code: 'address_suppressed' },
      ...{ rows: 1, lines: [7] },
    })
    expect(value.failures).toHaveLength(6)
  })

  test('an unknown event or template fails at once', async () => {
    const unknown = await check('plna', valid())
    expect(unknown).toMatchObject({ code: 1, out: '', err: expect.stringContaining('error: Unknown event `plna`.\n') })
    const body = file('template.json', JSON.stringify({ message: { template: 'nothing' } }))
    const args = ['bulk', 'send', '--csv', valid(), '--json-body', body, '--dry-run']
    const env = { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey }
    expect((await run(args, { env })).err).toContain('error: Unknown template `nothing`.\n')
  })

  test('a problem of the message is named, and fails a strict run', async () => {
    const { code, err } = await check('plan', valid(), '--data', 'plan=gold', '--brand', 'none')
    expect([code, err.split('\n')[0]]).toEqual([0, 'message: Unknown brand `none`.'])
    const strict = await check('plan', valid(), '--data', 'plan=gold', '--brand', 'none', '--strict')
    expect([strict.code, strict.out]).toEqual([1, ''])
    expect(strict.err).toContain('Unknown brand `none`.')
  })

  test('a job that is continued is checked with its message', async () => {
    const { jobId } = await app.client.bulk.create({ message: { event: 'plan', data: { plan: 'gold' } } })
    const env = { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey }
    const { code, out } = await run(['bulk', 'send', '--csv', valid(), '--job', jobId, '--dry-run'], { env })
    expect([code, out.split('\n')[0]]).toEqual([0, '2 rows checked, nothing was sent: 2 messages would be sent.'])
    expect((await app.client.bulk.get(jobId)).job).toMatchObject({ status: 'CREATED', received: 0 })
  })

  const sendTo = (jobId: string, csv: string, ...more: string[]) =>
    run(['bulk', 'send', '--csv', csv, '--job', jobId, ...more], {
      env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey },
    })
  const user = (recipient: string, email: string, name: string) => ({ recipient, profile: { email }, data: { name } })

  test('a job that takes users finds what a real run would refuse: a user whom it has with another address', async () => {
    const { jobId } = await app.client.bulk.create({ message: { event: 'plan', data: { plan: 'gold' } } })
    await app.client.bulk.ingest(jobId, { users: [user('a', 'old@example.com', 'Ada'), user('b', 'b@x.example', 'B')] })
    const csv = file('open.csv', 'id,email,data.name\na,a@example.com,Ada\nb,b@x.example,B\nc,c@example.com,C\n')
    const { code, out, err } = await sendTo(jobId, csv, '--dry-run')
    expect([code, out.split('\n')[0]]).toEqual([
      1,
      '3 rows checked, nothing was sent: 2 messages would be sent, 1 row invalid.',
    ])
    const error = 'Duplicate user with other data: a job has one message for each recipient'
    expect(err).toContain(`line 2: ${error}\n`)
    await app.client.bulk.cancel(jobId)
  })

  test('the rows for a job that was canceled are compared as a real run does, with the same result', async () => {
    const { jobId } = await app.client.bulk.create({ message: { event: 'no longer known' } })
    const unchanged = file('unchanged.csv', 'id,email,data.name\na,a@example.com,Ada\n')
    await app.client.bulk.ingest(jobId, { users: [user('a', 'a@example.com', 'Ada')] })
    await app.client.bulk.cancel(jobId)
    const same = await sendTo(jobId, unchanged, '--dry-run')
    expect([same.code, same.out]).toEqual([
      0,
      '1 row checked, nothing was sent: 0 messages would be sent, 1 already in the job.\n',
    ])
    const csv = file('closed.csv', 'id,email,data.name\na,corrected@example.com,Ada\nb,b@example.com,B\n')
    const dry = await sendTo(jobId, csv, '--dry-run', '--json')
    const real = await sendTo(jobId, csv, '--json')
    expect([dry.code, JSON.parse(dry.out)]).toMatchObject([1, { rows: 2, sent: 0, present: 0, invalid: 2, failed: 2 }])
    expect([real.code, JSON.parse(real.out).failures]).toEqual([1, JSON.parse(dry.out).failures])
  })

  test('a file without a row fails as a real run does', async () => {
    const empty = file('empty.csv', 'id,email\n')
    const dry = await check('plan', empty)
    expect(dry).toMatchObject({ code: 1, out: '', err: expect.stringContaining('error: No user would be added') })
    const { jobId } = await app.client.bulk.create({ message: { event: 'plan' } })
    expect((await sendTo(jobId, empty, '--dry-run')).err).toContain('error: No user would be added to the job')
    expect(await sendTo(jobId, empty)).toMatchObject({ code: 1, err: expect.stringContaining('error: No user was') })
    await app.client.bulk.cancel(jobId)
  })

  test('more rows than a call takes are counted together, and a row that a call is refused for is named alone', async () => {
    const rows = Array.from({ length: 230 }, (_, n) => `{"id":"r${n}","email":"r${n}@example.com","data":{"name":"N"}}`)
    rows[150] = '{"id":"r150","email":"a@example.com","data":{"name":"\\u0000"}}'
    const { code, out, err } = await check('plan', file('many.jsonl', rows.join('\n')), '--data', 'plan=gold')
    expect(out).toMatch(/^230 rows checked, nothing was sent: 229 messages would be sent, 1 row invalid\.$/m)
    expect([code, err]).toEqual([1, expect.stringMatching(/^line 151: /m)])
  })

  test('nothing is sent or made by any of them', async () => {
    await check('plan', valid(), '--data', 'plan=gold', '--idempotency-key', 'once')
    const jobs = (await app.client.bulk.list()).items
    expect(jobs.map(({ status }) => status)).toEqual(['CANCELED', 'CANCELED', 'CANCELED', 'CREATED'])
    expect((await app.client.messages.list()).results).toEqual([])
    expect((await app.client.mailbox.list()).results).toEqual([])
    // The key is free: the job that is created with it is a new one.
    const { jobId } = await app.client.bulk.create({ message: { event: 'plan' } }, { idempotencyKey: 'once' })
    expect((await app.client.bulk.get(jobId)).job.received).toBe(0)
  })
})
