/** `postrider templates preview`: in the terminal, in files and in a browser, of the server and of a folder; tests by real mail. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { NotificationPreview } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { integrate, publish } from '../system/templates.ts'
import { withBrowser } from './fake-browser.ts'
import { json, run } from './in-process.ts'

let app: App
let smtp: SmtpSink
let root: string
let access: { env: Record<string, string> }

const content = {
  elements: [
    { type: 'meta', title: 'Order {order.id}', locales: { de: { title: 'Bestellung {order.id}' } } },
    { type: 'text', content: '**Hello** {$.profile.name}', locales: { de: { content: '**Hallo** {$.profile.name}' } } },
  ],
}

beforeAll(async () => {
  smtp = await startSmtpSink()
  app = await openApp({ env: { POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true' } })
  access = { env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey, NO_COLOR: '1' } }
  const settings = { host: '127.0.0.1', port: smtp.port, security: 'opportunistic', fromAddress: 'news@example.org' }
  await integrate(app.client, { provider: 'smtp', title: 'Mail A', settings })
  await app.client.profiles.replace('ada', { profile: { name: 'Ada', email: 'ada@example.com', locale: 'de' } })
  await publish(app.client, 'order', { content, channels: ['email', 'sms', 'push'] })
  root = mkdtempSync(join(tmpdir(), 'postrider-previews-'))
  writeFileSync(join(root, 'order.json'), JSON.stringify({ order: { id: 7 } }))
  const folder = join(root, 'templates')
  mkdirSync(folder)
  writeFileSync(join(folder, 'draft.json'), JSON.stringify({ name: 'Draft', content: { title: 'New', body: 'Soon' } }))
})
afterAll(async () => {
  await app.stop()
  await smtp.close()
  rmSync(root, { recursive: true })
})

const at = (...names: string[]) => join(root, ...names)
const preview = (args: string[], env: Record<string, string> = {}) =>
  run(['templates', 'preview', ...args], { env: { ...access.env, ...env } })
const ofAda = () => ['order', '--data-file', at('order.json'), '--as', 'ada']

test('each channel shows what its recipient sees', async () => {
  const { code, out, err } = await preview(ofAda())
  expect([code, err]).toEqual([0, ''])
  expect(out).toBe(`order  v1  for ada  in de

email  smtp
  Bestellung 7
  Hallo Ada

sms
  Hallo Ada
  1 segment of GSM-7, 9 characters

push
  Bestellung 7
  Hallo Ada
`)
  const { out: english } = await preview([...ofAda(), '--locale', 'en', '--channel', 'slack'])
  expect(english).toContain('direct_message  slack\n  *Hello* Ada\n')
})

test('variables without a value are said, and fail a strict preview, which sends nothing', async () => {
  const { code, out, err } = await preview(['order', '--data', 'order:={"id":8}', '--channel', 'sms'])
  expect([code, out]).toEqual([0, expect.stringContaining('Hello {$.profile.name}')])
  expect(err).toMatch(/^Warning: elements\.1: `\{\$\.profile\.name\}` has no value.*\n\nValues of variables: --data/)
  const mails = smtp.all.length
  const strict = await preview(['order', '--strict', '--send-to', 'me@example.com'])
  expect([strict.code, strict.out]).toEqual([1, expect.stringContaining('not sent: there are warnings')])
  expect((await preview([...ofAda(), '--strict'])).code).toBe(0)
  expect(smtp.all).toHaveLength(mails)
})

test('a template that would fail is shown with its error, and fails', async () => {
  await publish(app.client, 'code', {
    content: { title: 'Code', body: 'Your code is {code}' },
    channels: ['sms'],
    settings: { on_missing_variable: 'fail' },
  })
  const { code, out } = await preview(['code'])
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/Your code is \{code\}[\s\S]*Error: .*`\{code\}` has no value/),
  ])
  expect((await preview(['code', '--data', 'code=1234'])).code).toBe(0)
})

test('a folder is shown before it is pushed', async () => {
  const dir = ['--dir', at('templates')]
  const { out } = await preview(['draft', ...dir, '--channel', 'push'])
  expect(out).toContain('push\n  New\n  Soon')
  for (const [args, message] of [
    [['other', ...dir], 'Unknown template `other`'],
    [['draft', 'v1', ...dir], 'A folder has no versions'],
    [['draft', '--dir', at('nowhere')], 'There is no folder'],
    [['oder'], 'Unknown template `oder`. Did you mean `order`?'],
    [['order', 'v9'], 'Version not found'],
    [['order', '--data', 'number=7', 'name=Ada'], 'Each value of a variable has its own option'],
    [['order', '--send-to', 'here'], '`here` is not an address for a test'],
    [['order', '--data-file', at('templates', 'none.json')], 'cannot be read'],
    [['order', '--channel', 'mailbox'], '`mailbox` is neither'],
  ] as const) {
    const { code, err } = await preview([...args])
    expect([code, err]).toEqual([expect.any(Number), expect.stringContaining(message)])
    expect(code).not.toBe(0)
  }
})

test('files: a page with all of it, and each channel on its own', async () => {
  const folder = at('out', 'order')
  const { out } = await preview([...ofAda(), '--out', folder])
  expect(readdirSync(folder).sort()).toEqual(['email.html', 'email.txt', 'index.html', 'push.txt', 'sms.txt'])
  for (const file of readdirSync(folder)) expect(out).toContain(join(folder, file))
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  expect(read('sms.txt')).toBe('Hallo Ada\n')
  expect(read('push.txt')).toBe('Bestellung 7\n\nHallo Ada\n')
  const { results, files } = await json<NotificationPreview & { files: string[] }>(
    ['templates', 'preview', ...ofAda(), '--out', folder],
    access,
  )
  expect(read('email.html')).toBe(results[0]?.content.html)
  expect(files[0]).toBe(join(folder, 'index.html'))
  // Two of one channel have a file each.
  await preview([...ofAda(), '--channel', 'slack', 'discord', '--out', at('chat')])
  expect(readdirSync(at('chat'))).toContain('direct_message-discord.txt')
  const unwritable = await preview([...ofAda(), '--out', at('order.json')])
  expect([unwritable.code, unwritable.err]).toEqual([1, expect.stringContaining('cannot be written')])
})

test.runIf(process.platform === 'linux')('in a terminal with a screen, the browser gets the page', async () => {
  await withBrowser(async ({ env, address }) => {
    const { code, out } = await preview([...ofAda(), '--open'], { ...env, TMPDIR: root })
    const page = fileURLToPath(await address())
    expect([code, out]).toEqual([0, expect.stringContaining(page)])
    expect(existsSync(page)).toBe(true)
  })
  const noScreen = { DISPLAY: '', WAYLAND_DISPLAY: '', WSL_DISTRO_NAME: '', TMPDIR: root }
  const { out, err } = await preview([...ofAda(), '--open'], noScreen)
  expect([out, err]).toEqual([
    expect.stringContaining('index.html'),
    expect.stringContaining('no screen for a browser'),
  ])
})

test('without any channel there is nothing to see, which is a failure', async () => {
  await publish(app.client, 'astray', { content, channels: ['pigeon'] })
  const { code, out, err } = await preview(['astray'])
  expect([code, out]).toEqual([1, expect.stringContaining('Nothing is rendered')])
  expect(err).toContain('`pigeon`')
})

test('a test goes as it is shown: by mail through the integration, by SMS into the mailbox', async () => {
  const { results } = await json<NotificationPreview>(['templates', 'preview', ...ofAda()], access)
  const { code, out } = await preview([...ofAda(), '--send-to', 'me@example.com', '+12025550143'])
  expect([code, out]).toEqual([0, expect.stringMatching(/Test to me@example\.com: SENT by smtp\n {2}1-\S+\n/)])
  expect(out).toMatch(/Test to \+12025550143: DELIVERED, kept in the mailbox\n {2}1-\S+\n$/)
  const { to, parsed } = await smtp.waitFor((mail) => mail.to.includes('me@example.com'))
  const [email] = results
  expect([to, parsed.subject]).toEqual([['me@example.com'], email?.content.subject])
  expect(parsed.html?.trim()).toBe(email?.content.html.trim())
  expect(parsed.text?.trim()).toBe(email?.content.text.trim())
  const { results: tests } = await app.client.messages.list({ tags: ['test-send'] })
  expect(tests).toHaveLength(2)
  expect(tests.map(({ recipient }) => recipient)).not.toContain('ada')
  const local = await preview(['draft', '--dir', at('templates'), '--send-to', 'you@example.com', '--channel', 'email'])
  expect(local.code).toBe(0)
  expect((await smtp.waitFor((mail) => mail.to.includes('you@example.com'))).parsed.subject).toBe('New')
})

test('a test is not tracked', async () => {
  const tracking = await openApp({ env: { POSTRIDER_PUBLIC_URL: 'https://notify.example.com' } })
  try {
    await tracking.client.tracking.replace({ email: { open: true, click: true }, sms: { click: true } })
    await publish(tracking.client, 'links', { content: { title: 'T', body: '[it](https://shop.example/x)' } })
    const env = { POSTRIDER_URL: tracking.url, POSTRIDER_API_KEY: tracking.apiKey, NO_COLOR: '1' }
    const { code } = await run(['templates', 'preview', 'links', '--send-to', 'me@example.com', '+12025550143'], {
      env,
    })
    expect(code).toBe(0)
    const { results } = await tracking.client.mailbox.list()
    expect(results).toHaveLength(2)
    for (const kept of results) {
      const shown = JSON.stringify(kept)
      expect(shown).toContain('https://shop.example/x')
      expect(shown).not.toContain('notify.example.com')
    }
  } finally {
    await tracking.stop()
  }
})

test('a test has the settings, the brand and the words of the preview, and goes nowhere else', async () => {
  const { client } = app
  const brandOf = async (name: string, primary: string) =>
    (await client.brands.create({ name, settings: { colors: { primary } } })).id
  const [ofTemplate, ofTenant] = [await brandOf('Own', '#aa0001'), await brandOf('Tenant', '#bb0002')]
  await client.tenants.put('acme', { name: 'Acme', brand_id: ofTenant } as never)
  await client.lists.put('news', { name: 'News' })
  await client.lists.subscribe('news', 'ada')
  // Attributes of a profile that would be recipients in the address of a message.
  await client.profiles.replace('odd', { profile: { name: 'Odd', list_id: 'news', filters: 'x', locale: 'de' } })
  await publish(client, 'branded', {
    content: {
      elements: [
        { type: 'meta', title: 'Hi {gap}' },
        { type: 'text', content: '{$.profile.name} {gap}{literal}' },
        { type: 'action', content: 'Go', href: 'https://example.com' },
      ],
    },
    brand: { id: ofTemplate },
    settings: { on_missing_variable: 'empty' },
  })
  const args = ['branded', '--as', 'odd', '--tenant', 'acme', '--data', 'literal={name} {{#if', '--channel', 'email']
  const { code, out } = await preview([...args, '--send-to', 'brand@example.com'])
  expect([code, out]).toEqual([0, expect.stringContaining('SENT by smtp')])
  const { to, parsed } = await smtp.waitFor((mail) => mail.to.includes('brand@example.com'))
  expect(to).toEqual(['brand@example.com'])
  expect(parsed.text).toContain('Odd {name} {{#if')
  expect(parsed.html).toContain('#bb0002')
  expect(parsed.html).not.toContain('#aa0001')
})

test('each test has its own result, and one that cannot go is said', async () => {
  smtp.script({
    recipient: (address) => (address.startsWith('gone') ? { code: 550, text: '5.1.1 No such user' } : undefined),
  })
  const mails = ['--send-to', 'gone@example.com', 'here@example.com', '+12025550145']
  const { code, out } = await preview([...ofAda(), '--channel', 'email', ...mails])
  smtp.script({})
  expect(code).toBe(1)
  expect(out).toMatch(/Test to gone@example\.com: UNDELIVERABLE: .*No such user\n/)
  expect(out).toMatch(/Test to here@example\.com: SENT by smtp\n/)
  expect(out).toMatch(/Test to \+12025550145: not sent: the preview has no sms: --channel sms\n$/)
  const failing = await preview(['code', '--send-to', '+12025550146'])
  expect([failing.code, failing.out]).toEqual([1, expect.stringMatching(/not sent: .*`\{code\}` has no value\n$/)])
})

test('the preview is shown to a key that may not send, and a test needs a running server', async () => {
  const { key } = await app.client.keys.create({ name: 'author', role: 'editor' })
  const { code, out } = await preview([...ofAda(), '--send-to', 'me@example.com'], { POSTRIDER_API_KEY: key })
  expect([code, out]).toEqual([1, expect.stringMatching(/Hallo Ada[\s\S]*Test to me@example\.com: .*role/)])
  const stopped = await preview([...ofAda(), '--send-to', 'me@example.com'], { POSTRIDER_URL: 'http://127.0.0.1:1' })
  expect([stopped.code, stopped.err]).toEqual([1, expect.stringContaining('No Postrider server responds')])
})
