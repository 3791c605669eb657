/** Commands that are drawn from the contract, and `postrider api`, against a server. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readConfig, startServer } from '@postrider/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { run } from './in-process.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
let server: Awaited<ReturnType<typeof startServer>>

beforeAll(async () => {
  server = await startServer(
    readConfig({
      POSTRIDER_PORT: '0',
      ...(await databaseEnvironment()),
      POSTRIDER_API_KEY: apiKey,
      POSTRIDER_LOG_LEVEL: 'silent',
    }),
  )
})
afterAll(() => server.stop())

const call = (...args: string[]) => run([...args, '--url', server.url, '--key', apiKey])
const json = async <T>(...args: string[]): Promise<T> => {
  const { code, out, err } = await call(...args, '--json')
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out) as T
}

test('the committed table of operations is the one that `npm run generate` writes', () => {
  const path = (relative: string) => fileURLToPath(new URL(`../../cli/${relative}`, import.meta.url))
  const { stdout } = spawnSync(process.execPath, [path('generate.js'), '--print'], { encoding: 'utf8' })
  expect(readFileSync(path('src/operations/generated.ts'), 'utf8')).toBe(stdout)
})

test('tracking is switched on by channel, and shown', async () => {
  expect((await call('tracking', 'show')).out).toBe('Nothing is tracked.\n')
  const settings = { email: { open: true, click: true }, sms: { click: false } }
  expect(await json('tracking', 'set', 'email.open:=true', 'email.click:=true', 'sms.click:=false')).toEqual(settings)
  expect((await call('tracking', 'show')).out).toBe('email: open, click\n')
  expect(await call('tracking', 'set', 'email.opens:=true')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Did you mean `open`?'),
  })
})

test('a tenant is written, shown, listed with its members, and deleted', async () => {
  await json('tenants', 'set', 'acme', 'name=Acme', 'properties.plan=gold')
  await json('tenants', 'set', 'acme-berlin', 'name=Berlin', 'parent_tenant_id=acme')
  expect((await call('tenants', 'show', 'acme')).out).toMatch(
    /^name +Acme\n[\s\S]*properties: \{\n {2}"plan": "gold"\n\}/m,
  )
  expect((await call('tenants', 'list', '--parent-tenant-id', 'acme')).out).toMatch(
    /^ID +NAME +PARENT TENANT ID +BRAND ID\nacme-berlin +Berlin +acme\n$/,
  )
  expect((await call('tenants', 'add-member', 'acme', 'ada', 'profile.locale=de')).out).toBe('Added ada to acme.\n')
  expect((await call('tenants', 'members', 'acme')).out).toMatch(/^ada +\{"locale":"de"\}$/m)
  expect((await call('profiles', 'tenants', 'ada')).out).toMatch(/^acme /m)
  expect(await json('tenants', 'remove-member', 'acme', 'ada')).toEqual({
    tenant_id: 'acme',
    user_id: 'ada',
    removed: true,
  })
  expect((await call('tenants', 'members', 'acme')).out).toBe('None.\n')
  expect((await call('tenants', 'delete', 'acme-berlin')).out).toBe('Deleted acme-berlin.\n')
  expect(await call('tenants', 'show', 'acme-berlin')).toMatchObject({
    code: 1,
    err: 'error: Unknown tenant `acme-berlin`\nhint: To see all of them: postrider tenants list\n',
  })
})

test('a condition of a write is an option: what exists is not overwritten', async () => {
  await json('tenants', 'set', 'only-new', 'name=Before', '--if-absent')
  expect(await call('tenants', 'set', 'only-new', 'name=After', '--if-absent')).toMatchObject({
    code: 1,
    err: expect.stringContaining('The tenant `only-new` exists already'),
  })
  expect(await json('tenants', 'show', 'only-new')).toMatchObject({ name: 'Before' })
})

test('a summary of messages is printed, and a wrong window is named', async () => {
  expect(await json('metrics', 'summary', '--window', '15m')).toMatchObject({ waiting: 0, oldest: null })
  expect((await call('metrics', 'summary')).out).toMatch(/accepted/)
  expect((await call('metrics', 'summary', '--window', 'long')).err).toMatch(/^error: window must be a duration/)
})

test('a list says when there are more, and reads several pages', async () => {
  for (let count = 0; count < 3; count += 1)
    await json('brands', 'create', `id=brand-${count}`, `name=Brand ${count}`, 'settings:={}')
  const { results, more } = await json<{ results: unknown[]; more: boolean }>('brands', 'list', '--limit', '2')
  expect([results.length, more]).toEqual([2, true])
  expect((await call('brands', 'list', '--limit', '2')).err).toContain('There are more')
})

test('a section, a topic and the choice of a user', async () => {
  const section = await json<{ id: string }>('sections', 'create', 'id=news', 'name=News')
  expect(section.id).toBe('news')
  const again = await call('sections', 'create', 'id=news', 'name=Again')
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('Already Exists') })
  const topic = await json<{ id: string }>('topics', 'create', section.id, 'name=Weekly', 'default_status=OPTED_IN')
  expect((await call('topics', 'list', section.id)).out).toMatch(/ Weekly +OPTED_IN/)
  expect((await call('preferences', 'choose', 'ada', topic.id, 'status=OPTED_OUT')).code).toBe(0)
  expect((await call('preferences', 'topics', 'ada')).out).toContain('OPTED_OUT')
  const choice = (await call('preferences', 'topic', 'ada', topic.id)).out
  expect(choice).toMatch(/^topic_id +\S+$[\s\S]*^status +OPTED_OUT$/m)
  expect(choice).not.toMatch(/[{"]/)
  expect((await call('preferences', 'reset', 'ada', topic.id)).out).toBe(`Removed the choice of ada for ${topic.id}.\n`)
  expect((await call('topics', 'show', section.id, 'nope')).err).toContain(
    `error: Unknown section or topic \`${section.id}\`, \`nope\``,
  )
})

test('rejects a misspelled field before the call, and prints the error of the server for anything else', async () => {
  expect(await call('audiences', 'set', 'a', 'nmae=A')).toMatchObject({
    code: 2,
    err: 'error: Unknown field `nmae`\nhint: The fields are name, description, filter, operator.\n',
  })
  expect(await call('webhooks', 'create', 'url=example')).toMatchObject({
    code: 1,
    err: expect.stringContaining('url'),
  })
})

test('a send is explained before it is made, and its message found in the mailbox, by tenant and in its request', async () => {
  const explained = await call('explain', 'welcome', 'ada', '--profile', 'email=ada@example.com', '--data', 'name=Ada')
  expect(explained.out).toMatch(
    /^Would go by email through Mailbox\. If that fails: .+ nothing would leave this server\.$/m,
  )
  expect(explained.out).toMatch(/^Decided: ROUTED$/m)
  expect(explained.out).toMatch(/^email +mailbox +Mailbox[^\n]*\n {2}.*Ada/m)
  const text = await call('explain', 'welcome', 'ada', '--profile', 'phone_number=+12025550143', '--data', 'name=Ada')
  expect(text.out).toMatch(/^sms +mailbox[^\n]*\n(?: {2}.*\n|\n)* {2}1 segment of GSM-7, \d+ characters/m)
  expect((await call('events', 'list')).out).toMatch(/^welcome /m)
  await json('devices', 'set', 'ada', 'token-1', 'provider_key=expo', 'device.platform=ios')
  expect((await call('devices', 'list', 'ada')).out).toMatch(/^token-1 +expo +active/m)
  const { messageId } = await json<{ messageId: string }>('events', 'track', 'bought', 'userId=ada')
  expect(messageId).not.toBe('')
  const audit = await json<{ results: { type: string; source: string }[] }>(
    ...['audit-events', 'list', '--source', 'cli', '--target-kind', 'integration'],
  )
  expect(audit.results).toEqual([])
  await json('lists', 'create', 'audited', '--name', 'Audited')
  const { results } = await json<typeof audit>('audit-events', 'list', '--target', 'audited', '--source', 'cli')
  expect(results).toMatchObject([{ type: 'list:updated', source: 'cli' }])
  expect((await call('messages', 'list', '--retrying')).out).toBe('No messages.\n')
  expect((await call('metrics', 'summary')).out).toMatch(
    /^window +\S+ \S+ to \S+ \S+\naccepted +\d+\nfinished +\d+\nwaiting +\d+/,
  )
  expect(await json('metrics', 'summary')).toMatchObject({ accepted: expect.any(Number), statuses: [] })
  await json('send', 'welcome', 'eve', '--profile', 'email=eve@example.com', '--wait')
  const mails = (await call('mailbox', 'list', '--recipient', 'eve')).out
  expect(mails).toMatch(/^RECEIVED +ID +CHANNEL +RECIPIENT +CONTENT TO ADDRESS +CONTENT SUBJECT$/m)
  expect(mails).toMatch(/ email +eve +eve@example\.com +Welcome/)
  const { token } = await json<{ token: string }>('auth', 'token', 'scope=user_id:ada read:messages', 'expires_in=1h')
  expect(token.split('.')).toHaveLength(3)
})

test('api calls an operation by its id, and by method and path', async () => {
  expect(await json('api', 'tenants.get', 'acme')).toMatchObject({ id: 'acme', name: 'Acme' })
  expect(
    await json('api', 'PUT', '/tenants/api', '--data', '{"name":"By api","parent_tenant_id":"acme"}'),
  ).toMatchObject({ name: 'By api' })
  const page = await json<{ items: unknown[] }>('api', 'get', '/tenants?limit=1', '--query', 'parent_tenant_id=acme')
  expect(page.items).toEqual([expect.objectContaining({ id: 'api' })])
  expect((await call('api', 'DELETE', '/tenants/api')).err).toBe('Done. The response is empty.\n')
  expect((await call('api', 'service.metrics')).out).toMatch(/^# HELP /m)
  expect((await call('api', '--list', 'tenants', 'put')).out).toMatch(/^tenants\.put +PUT +\/tenants\/:tenant_id/m)
})

test.each([
  [['api', 'tenant.get'], 2, /Unknown operation `tenant\.get`\nhint: .*postrider api --list/],
  [['api', 'tenants.get'], 2, /`tenants\.get` takes an argument: tenant_id/],
  [['api', 'GET', 'tenants'], 2, /begins with a slash/],
  [['api', 'send.send', '--data', '{'], 2, /--data is not JSON/],
  [['api', 'tenants.get', 'none'], 1, /Tenant not found/],
  [['api', 'GET', '/tenant'], 1, /no operation of this version has the path GET \/tenant/],
  [['api', 'send.send', '--data', '{}'], 1, /event/],
])('postrider %j is refused with what to do', async (args, code, words) => {
  const result = await call(...args)
  expect([result.code, result.out]).toEqual([code, ''])
  expect(result.err).toMatch(words)
})

test.each([
  [
    ['templates', 'show', 'nope'],
    1,
    'error: Unknown template `nope`\nhint: To see all templates: postrider templates list\n',
  ],
  [
    ['automations', 'show', 'nope'],
    1,
    'error: Unknown automation template `nope`\nhint: To see all automation templates: postrider automations list\n',
  ],
  [['bulk', 'show', 'nope'], 1, 'error: Unknown bulk job `nope`\nhint: To see the newest jobs: postrider bulk list\n'],
  [['lists', 'restore', 'nope'], 1, 'error: Unknown deleted list `nope`\n'],
  [['bulk', 'show', 'nope'], 1, 'error: Unknown bulk job `nope`\n'],
  [['messages', 'show', 'nope'], 1, /^error: Unknown message `nope`\nhint: .*: postrider messages list/],
  [['providers', 'show', 'nope'], 1, /^error: Unknown integration `nope`\nhint: /],
])('an unknown id is named, with exit code 1: %j', async (args, code, words) => {
  const result = await call(...args)
  expect(result.code).toBe(code)
  expect(result.err).toMatch(words)
})

test('an error of the server has its code and input with --json, and its page where the command adds nothing', async () => {
  const missing = await call('tenants', 'show', 'nope', '--json')
  expect(JSON.parse(missing.err)).toEqual({
    error: 'Unknown tenant `nope`',
    hint: expect.stringContaining('tenants list'),
    code: 'not_found',
  })
  const refused = ['lists', 'create', 'a..b', '--name', 'n']
  const doc = expect.stringMatching(/^http:.*\/docs\/errors#invalid_field$/)
  const error = expect.stringMatching(/^A list id/)
  expect(JSON.parse((await call(...refused, '--json')).err)).toEqual({
    error,
    code: 'invalid_field',
    param: 'list_id',
    doc,
  })
  expect((await call(...refused)).err).toMatch(/^error: A list id.*\nsee: http:.*#invalid_field\n$/)
})

test('an integration is not changed by an update without a change, nor tested without an address', async () => {
  const made = await json<{ id: string }>('providers', 'add', 'smtp', '-s', 'host=127.0.0.1', '-s', 'fromAddress=a@b.c')
  expect(await call('providers', 'update', made.id)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^error: No change is given\nhint: .*--setting key=value/),
  })
  expect(await call('providers', 'test', made.id, '--send')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^error: The address for the test message is missing\n(?:.*\n)?hint: .*--to <address>/m),
  })
})

test('an address in the environment that is none is named as what it is', async () => {
  const before = process.env.POSTRIDER_URL
  process.env.POSTRIDER_URL = 'banana'
  try {
    expect(await run(['messages', 'list', '--key', apiKey])).toMatchObject({
      code: 2,
      err: 'error: `banana` is not an address\nhint: POSTRIDER_URL is the address of a server, such as http://127.0.0.1:4600\n',
    })
  } finally {
    if (before === undefined) delete process.env.POSTRIDER_URL
    else process.env.POSTRIDER_URL = before
  }
})

test.each([
  [['lists', 'lst'], { error: "unknown command 'lst'", hint: 'Did you mean list?' }],
  [['bulk', 'send'], { error: "required option '--csv <file>' not specified" }],
  [['lists'], { error: 'The command is missing', hint: 'To see the commands: postrider --help' }],
])('wrong arguments are an error in JSON with --json: %j', async (args, error) => {
  const { code, out, err } = await run([...args, '--json'])
  expect([code, out, JSON.parse(err)]).toEqual([2, '', error])
})

test.runIf(process.platform === 'linux')('output that cannot be written is an error', () => {
  const script = fileURLToPath(new URL('../../cli/dist/postrider.js', import.meta.url))
  const { status, stderr } = spawnSync('sh', ['-c', '"$0" "$1" api --list > /dev/full', process.execPath, script], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^error: Standard output cannot be written: ENOSPC/)])
})
