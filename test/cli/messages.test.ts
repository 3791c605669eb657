/** Sending and looking from the command line, against a real server. */
import { type HistoryEvent, type Message, type MessageDetail, Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from '../system/templates.ts'
import { json, run } from './in-process.ts'
import { type RunOptions, run as runProcess } from './run.ts'

const key = 'pk_prod_0123456789abcdefghijklmnop'
let server: App
let access: RunOptions
beforeAll(async () => {
  server = await openApp({ env: { POSTRIDER_API_KEY: key } })
  access = { env: { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: key } }
})
afterAll(() => server.stop())

const call = (args: string[], more: RunOptions = {}) => run(args, { ...access, ...more })
const welcome = ['--profile', 'email=ada@example.com', '--data', 'name=Ada']
const send = async (recipient: string) =>
  (await json<{ messageId: string }>(['send', 'welcome', recipient, ...welcome], access)).messageId

test('a send prints the id of the message and nothing else', async () => {
  const { code, out } = await call(['send', 'welcome', 'plain', ...welcome])
  expect(code).toBe(0)
  expect(out).toMatch(/^1-[0-9a-f]{8}-[0-9a-f]{24}\n$/)
})

test('with --wait it answers when the message has arrived', async () => {
  const { code, out } = await call(['send', 'welcome', 'waiting', ...welcome, '--wait'])
  expect(code).toBe(0)
  expect(out).toMatch(/^1-\S+ DELIVERED\n$/)
})

test('with --wait a message that goes nowhere is a failure', async () => {
  const { code, out } = await call(['send', 'no-such-event', 'x', '--wait', '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ status: 'UNMAPPED' })
})

test('a wait ends when its time is over, and the message continues', async () => {
  const body = JSON.stringify({ event: 'welcome', recipient: 'later', delay: { duration: 3_600_000 } })
  const options = ['send', '--json-body', '-', '--wait', '--timeout', '0.2']
  const { code, err } = await call(options, { input: body })
  expect(code).toBe(1)
  expect(err).toMatch(/error: 1-\S+ is DELAYED after 0\.2 s/)
})

test('a message is shown with its deliveries and its history', async () => {
  const { id } = await json<MessageDetail>(['send', 'welcome', 'shown', ...welcome, '--wait'], access)
  const { message, history } = await json<{ message: MessageDetail; history: HistoryEvent[] }>(
    ['messages', 'show', id],
    access,
  )
  expect(message).toMatchObject({ id, recipient: 'shown', status: 'DELIVERED' })
  expect(history.map(({ type }) => type)).toEqual(expect.arrayContaining(['ENQUEUED', 'MAPPED', 'DELIVERED']))
  const { out } = await call(['messages', 'show', id])
  expect(out).toMatch(
    /^Delivered by email through Mailbox, \d+ ms after the call\. The mailbox keeps it: nothing left this server\.$/m,
  )
  for (const words of [id, 'recipient     shown', 'mailbox', 'ENQUEUED', 'PROFILE_LOADED']) expect(out).toContain(words)
  const body = JSON.stringify({ message: { to: { email: 'lin@example.com' }, template: 'welcome' } })
  const { requestId } = await json<{ requestId: string }>(['send', '--json-body', '-'], { ...access, input: body })
  expect((await call(['messages', 'show', requestId])).out).toMatch(/^recipient +lin@example\.com$/m)
})

test('explain shows why a message took its channel', async () => {
  const { id } = await json<MessageDetail>(['send', 'welcome', 'why', ...welcome, '--wait'], access)
  const { out } = await call(['messages', 'explain', id])
  expect(out).toContain('Decided: ROUTED')
  for (const step of ['map', 'profile', 'preferences', 'window', 'route', 'render'])
    expect(out).toMatch(new RegExp(`^${step} +passed`, 'm'))
})

test('a message that ended shows its reason', async () => {
  const channel = { email: { subject: 'two\r\nlines' } }
  const body = JSON.stringify({
    event: 'welcome',
    recipient: 'broken',
    profile: { email: 'ada@example.com' },
    override: { channel },
  })
  const { messageId } = await json<{ messageId: string }>(['send', '--json-body', '-'], { ...access, input: body })
  const { out } = await until(
    () => call(['messages', 'explain', messageId]),
    ({ out }) => /^CHANNEL.*ERROR/m.test(out),
  )
  expect(out).toMatch(/^email +mailbox +Mailbox +subject must not contain line breaks$/m)
})

test('the wish of a recipient is in the sentence, and in no other words below it', async () => {
  const preferences = { notifications: { welcome: { status: 'OPTED_OUT' } } }
  const profile = { email: 'ada@example.com' }
  const body = JSON.stringify({ event: 'welcome', recipient: 'unwilling', profile, preferences })
  const { messageId } = await json<{ messageId: string }>(['send', '--json-body', '-'], { ...access, input: body })
  const { out } = await until(
    () => call(['messages', 'show', messageId]),
    ({ out }) => out.includes('UNDELIVERABLE'),
  )
  expect(out).toContain('Not sent. The recipient opted out.')
  expect(out).toMatch(/^reason +UNSUBSCRIBED$/m)
  expect(out).not.toContain('by user')
})

test('fields of a send that have no effect are in warnings, and standard output stays JSON', async () => {
  const body = JSON.stringify({ event: 'welcome', recipient: 'warned', dta: {}, profle: { email: 'a@b.example' } })
  for (const more of [[], ['--json']]) {
    const { code, out, err } = await call(['send', '--json-body', '-', ...more], { input: body })
    expect([code, err.split('\n').slice(0, 2)]).toEqual([
      0,
      [
        'Warning: Unknown field `dta`. Did you mean `data`?',
        'Warning: Unknown field `profle`. Did you mean `profile`?',
      ],
    ])
    if (more.length > 0) expect(JSON.parse(out)).toEqual({ messageId: expect.any(String) })
  }
})

test('a refused strict send is printed as text', async () => {
  const { code, out, err } = await call(['send', 'wellcome', 'strict', ...welcome, '--strict'])
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain('The strict send is refused. Unknown event `wellcome`.')
  expect((await call(['send', 'welcome', 'strict', ...welcome, '--strict'])).code).toBe(0)
})

test('two integrations of one provider are distinguished by their titles, and a wait ends with the last error', async () => {
  const peer = await startRecorder()
  peer.answer(() => true, { status: 503 })
  const client = new Postrider({ baseUrl: server.url, apiKey: key })
  for (const [priority, title] of ['First hook', 'Second hook'].entries())
    await integrate(client, { provider: 'webhook', title, priority, settings: { url: peer.url } })
  const event = await publish(client, 'hooked', { channels: ['webhook'] })
  const { code, err } = await call(['send', event, 'hooked', '--wait', '--timeout', '2'])
  expect(code).toBe(1)
  expect(err).toMatch(/error: 1-\S+ is ROUTED after 2 s: (First|Second) hook: 503/)
  const [id = ''] = /1-[0-9a-f]{8}-[0-9a-f]{24}/.exec(err) ?? []
  const explained = (await call(['messages', 'explain', id])).out
  const shown = (await call(['messages', 'show', id])).out
  expect(shown).toMatch(
    /^Not sent yet: (First|Second) hook failed: `503 .+`\. \1 hook is called again at .+, attempt 2\. (?!\1)(First|Second) hook failed: `503 .+`\.$/m,
  )
  for (const title of ['First hook', 'Second hook']) {
    expect(explained).toMatch(new RegExp(`^webhook +webhook +${title} +selected$`, 'm'))
    expect(explained).toMatch(new RegExp(`webhook +webhook +${title} +1 +retry`))
    expect(shown).toMatch(new RegExp(`DELIVERING +webhook · webhook · ${title} · attempt 1`))
  }
  const { candidates, deliveries } = await client.messages.explain(id)
  const titles = ['First hook', 'Second hook']
  expect(candidates.filter(({ selected }) => selected).map(({ title }) => title)).toEqual(titles)
  expect(deliveries.map(({ title }) => title)).toEqual(titles)
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  for (const title of titles)
    expect(metrics).toMatch(
      new RegExp(`postrider_attempts_total\\{provider="webhook",integration="${title}",outcome="retry"\\} [1-9]`),
    )
  await peer.close()
})

test('lists filter, and stop at their limit', async () => {
  const first = await send('listed')
  const second = await send('listed')
  const all = await json<{ results: Message[]; more: boolean }>(['messages', 'list', '-r', 'listed'], access)
  expect(all.results.map(({ id }) => id)).toEqual([second, first])
  expect(all.more).toBe(false)
  const page = await json<{ results: Message[]; more: boolean }>(
    ['messages', 'list', '-r', 'listed', '-l', '1'],
    access,
  )
  expect(page).toMatchObject({ results: [{ id: second }], more: true })
})

test.each([
  [['list'], 'finding'],
  [['tail'], 'finding'],
  [['cancel', '--dry-run'], 'filter.finding.0'],
  [['replay', '--dry-run'], 'filter.finding.0'],
])('a filter with an unknown value is a wrong argument, and the nearest is named: %j', async (args, param) => {
  const { code, err } = await call(['messages', ...args, '--finding', 'variable_mising', '--json'])
  const error = `${param} must be one of 21 values. Did you mean \`variable_missing\`?`
  expect([code, JSON.parse(err)]).toEqual([2, { error, code: 'invalid_field', param }])
})

test('a recipient cannot steer the terminal', async () => {
  await send('evil\x1b]0;owned\x07\x1b[2J')
  const { out } = await call(['messages', 'list', '--limit', '50'])
  expect(out).toContain('  evil  ')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
})

test('a tail shows what comes, once, and ends after its count', async () => {
  await send('tail-before')
  const tail = runProcess(['messages', 'tail', '--limit', '3', '--json'], access)
  // The tail may start after the first of these is sent.
  let ended = false
  tail.then(() => {
    ended = true
  })
  for (let count = 0; !ended; count += 1) await send(`tail-${count}`)
  const { code, out } = await tail
  const seen = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Message)
  expect(code).toBe(0)
  expect(seen).toHaveLength(3)
  expect(new Set(seen.map(({ id }) => id)).size).toBe(3)
  expect(seen.map(({ id }) => id)).toEqual(seen.map(({ id }) => id).sort())
  expect(seen.map(({ recipient }) => recipient)).not.toContain('tail-before')
})

test('a preview says of a recipient without a user that it has none', async () => {
  const message = { to: { email: 'guest@example.com' }, content: { title: 'Hello', body: 'Hello' } }
  const body = JSON.stringify({ message: { ...message, delay: { duration: 3_600_000 } } })
  const { requestId } = await json<{ requestId: string }>(['send', '--json-body', '-'], { ...access, input: body })
  const { out } = await call(['messages', 'cancel', requestId, '--dry-run'])
  expect(out).toMatch(new RegExp(`${requestId} +\\w+ +without a user`))
})

test.each(['replay', 'cancel'])(
  '%s refuses an exclusion alone, which would choose nearly everything',
  async (command) => {
    await send('excluded')
    const { code, err } = await call(['messages', command, '--except-reason', 'UNSUBSCRIBED', '--dry-run'])
    expect(code).toBe(2)
    expect(err).toContain('No messages are chosen')
  },
)

test('a waiting message is canceled, a delivered one is not', async () => {
  const body = JSON.stringify({ event: 'welcome', recipient: 'c', delay: { duration: 3_600_000 } })
  const { messageId } = await json<{ messageId: string }>(['send', '--json-body', '-'], { ...access, input: body })
  expect((await call(['messages', 'cancel', messageId])).out).toBe(`${messageId} CANCELED\n`)
  expect((await call(['messages', 'show', messageId])).out).toContain('Canceled by the key first key ')
  expect((await call(['messages', 'list', '--recipient', 'c'])).out).toContain('by the key first key')
  const { id } = await json<MessageDetail>(['send', 'welcome', 'late', ...welcome, '--wait'], access)
  const { code, err } = await call(['messages', 'cancel', id])
  expect(code).toBe(1)
  expect(err).toMatch(/^error: It is too late/)
})

test.each([
  [
    'an unknown message',
    ['messages', 'show', '1-00000000-000000000000000000000000'],
    1,
    /^error: Unknown message `1-0.+`\nhint: .*messages list/,
  ],
  [
    'an unknown key',
    ['messages', 'list', '--key', 'pk_prod_wrong'],
    1,
    /^error: .* rejected the API key\nhint: .*POSTRIDER_API_KEY/,
  ],
  [
    'a server that is not there',
    ['messages', 'list', '--url', 'http://127.0.0.1:1'],
    1,
    /^error: No Postrider.*\nhint: .*serve/,
  ],
  [
    'a command that does not exist',
    ['mesages'],
    2,
    /^error: unknown command 'mesages'\n\(Did you mean messages\?\)\n$/,
  ],
  ['an argument that is missing', ['messages', 'show'], 2, /^error: missing required argument 'id'\n$/],
  ['an empty filter', ['messages', 'list', '--recipient', ''], 2, /It must not be empty/],
  [
    'an address that is none',
    ['messages', 'list', '--url', 'nonsense'],
    2,
    /^error: `nonsense` is not an address\nhint: /,
  ],
  ['a number that is none', ['messages', 'list', '--limit', 'all'], 2, /whole number from 1 to 1000/],
] as const)('%s is one line that says what to do', async (_name, args, code, words) => {
  const result = await call([...args])
  expect(result).toMatchObject({ code, out: '' })
  expect(result.err).toMatch(words)
})

test('an error is JSON with --json', async () => {
  const { code, err } = await call(['messages', 'list', '--json', '--url', 'http://127.0.0.1:1'])
  expect(code).toBe(1)
  expect(JSON.parse(err)).toEqual({ error: expect.stringContaining('127.0.0.1:1'), hint: expect.any(String) })
})
