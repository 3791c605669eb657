/** Profiles, lists and bulk jobs from files: imported, subscribed and sent to. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Postrider } from '@postrider/client'
import { readConfig, startServer } from '@postrider/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { json, run } from './in-process.ts'
import { type RunOptions, start } from './run.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
const folder = mkdtempSync(join(tmpdir(), 'postrider-people-'))
let server: Awaited<ReturnType<typeof startServer>>
let env: Record<string, string>
let client: Postrider

beforeAll(async () => {
  server = await startServer(
    readConfig({
      POSTRIDER_PORT: '0',
      ...(await databaseEnvironment()),
      POSTRIDER_API_KEY: apiKey,
      POSTRIDER_LOG_LEVEL: 'silent',
    }),
  )
  env = { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: apiKey }
  client = new Postrider({ baseUrl: server.url, apiKey })
})
afterAll(() => server.stop())

const call = (args: string[], more: RunOptions = {}) => run(args, { env, ...more })
const file = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
const profileOf = async (id: string) => (await client.profiles.get(id)).profile
const subscribersOf = async (list: string) => {
  const subscribers: string[] = []
  for await (const { recipientId } of client.lists.subscriptions(list)) subscribers.push(recipientId)
  return subscribers
}

test('a dry run prints the changes and makes none', async () => {
  await client.profiles.replace('dry-1', { profile: { email: 'old@example.com', name: 'Ada' } })
  await client.profiles.replace('dry-2', { profile: { email: 'same@example.com' } })
  const path = file('dry.csv', 'id,email\ndry-1,new@example.com\ndry-2,same@example.com\ndry-3,third@example.com\n')
  const { code, out } = await call(['profiles', 'import', path, '--dry-run'])
  expect(code).toBe(0)
  expect(out).toContain('line 2  dry-1  changed: email old@example.com → new@example.com\n')
  expect(out).toContain('line 4  dry-3  created: email = third@example.com\n')
  expect(out).toContain('3 rows: 1 profile would be created, 1 changed, 1 unchanged.')
  expect(await profileOf('dry-1')).toEqual({ email: 'old@example.com', name: 'Ada' })
})

test('people are found by the beginning of a name, and their messages by an address', async () => {
  await client.profiles.replace('fi-1', { profile: { name: 'Grace Hopper', email: 'grace@example.com' } })
  for (const text of ['hop', 'grace h', 'GRACE@'])
    expect((await call(['profiles', 'find', text])).out).toContain('fi-1  Grace Hopper  grace@example.com')
  expect((await call(['profiles', 'find', 'hopp er'])).out).toBe('None.\n')
  const content = { title: 'Hello', body: 'Hello' }
  const delay = { duration: 86_400_000 }
  for (const to of [{ email: 'Zoe@example.com' }, { user_id: 'fi-1' }])
    await client.send({ message: { to, content, delay } })
  const list = async (address: string) =>
    JSON.parse((await call(['messages', 'list', '--address', address, '--json'])).out).results
  expect(await list('zoe@example.com')).toMatchObject([{ address: 'Zoe@example.com' }])
  expect(await list('grace@example.com')).toMatchObject([{ recipient: 'fi-1' }])
  expect((await call(['messages', 'list', '--address', 'no address'])).err).toContain('must be an email address')
})

test('a person who is in a file twice is created once, and changed by the second row', async () => {
  const path = file('twice.csv', 'id,email,name\ntw-1,a@example.com,\ntw-1,b@example.com,Ada\ntw-1,b@example.com,\n')
  const { out } = await call(['profiles', 'import', path, '--dry-run'])
  expect(out).toContain('line 3  tw-1  changed: email a@example.com → b@example.com, name = Ada\n')
  expect(out).toContain('3 rows: 1 profile would be created, 1 changed, 1 unchanged.')
})

test('rows are merged, subscribed, and those that fail can be corrected and imported again', async () => {
  await client.profiles.replace('im-1', { profile: { name: 'Ada', address: { zip: '1' } } })
  const failed = join(folder, 'failed.csv')
  const path = file(
    'users.csv',
    'user_id;email;address.city;tags:json;Notes\nim-1;a@example.com;London;"[""x""]";n\n;b@example.com;;;\nim-3;"c@example.com";"a;b";[;"q""q"\nim-1;last@example.com;;;\n',
  )
  const args = ['profiles', 'import', path, '--list', 'imported', '--ignore', 'Notes', '--errors', failed]
  const { code, out, err } = await call([...args, '--json'])
  expect(code).toBe(1)
  expect(err).toBe('')
  expect(JSON.parse(out)).toEqual({
    rows: 4,
    written: 2,
    warned: 0,
    subscribed: 1,
    failed: 2,
    failures: [
      { line: 3, error: 'The id is empty' },
      { line: 4, error: 'tags must be JSON' },
    ],
  })
  expect(await profileOf('im-1')).toEqual({
    name: 'Ada',
    email: 'last@example.com',
    address: { zip: '1', city: 'London' },
    tags: ['x'],
  })
  expect(await subscribersOf('imported')).toEqual(['im-1'])
  expect(readFileSync(failed, 'utf8')).toBe(
    '#line;#error;user_id;email;address.city;tags:json;Notes\n3;The id is empty;;b@example.com;;;\n4;tags must be JSON;im-3;c@example.com;"a;b";[;"q""q"\n',
  )
  const corrected = file(
    'corrected.csv',
    readFileSync(failed, 'utf8').replace('empty;;', 'empty;im-2;').replace(';[;', ';[1];'),
  )
  const again = await call(['profiles', 'import', corrected, '--list', 'imported', '--ignore', 'Notes'])
  expect(again).toMatchObject({ code: 0, out: '2 rows: 2 profiles written. 2 subscribed to imported.\n' })
  expect(await profileOf('im-3')).toEqual({ email: 'c@example.com', address: { city: 'a;b' }, tags: [1] })
  expect(await subscribersOf('imported')).toEqual(['im-1', 'im-2', 'im-3'])
})

test('a row with values of no use is imported, and its line is in a warning', async () => {
  const path = file(
    'warned.csv',
    'id,email,locale,timezone\nwarned-1,ada(at)example.com,de,Europe/Berln\nwarned-2,b@example.com,german,\nwarned-3,c@example.com,de,UTC\n',
  )
  const expected = [
    'Warning: line 2: The `email` of the profile, `ada(at)example.com`, is not an email address: it has no `@`.',
    'Warning: line 2: The `timezone` of the profile, `Europe/Berln`, is not a time zone. Did you mean `Europe/Berlin`?',
    'Warning: line 3: The `locale` of the profile, `german`, is not a locale such as `de` or `pt-BR`.',
  ]
  const { code, out, err } = await call(['profiles', 'import', path])
  expect([code, out]).toEqual([0, '3 rows: 3 profiles written. 2 rows with warnings.\n'])
  expect(
    err
      .split('\n')
      .filter((line) => line.startsWith('Warning'))
      .sort(),
  ).toEqual(expected)
  expect(await profileOf('warned-1')).toMatchObject({ email: 'ada(at)example.com' })
  const again = await call(['profiles', 'import', path, '--replace', '--json'])
  expect(JSON.parse(again.out)).toMatchObject({ rows: 3, written: 3, warned: 2, failed: 0 })
  expect(again.err.trimEnd().split('\n').sort()).toEqual(expected)
})

test('a refused row is named, and JSON lines come from standard input', async () => {
  const long = 'x'.repeat(300_000)
  const input = `{"id":"js-1","email":"a@example.com","address":{"zip":1}}\n{"id":"js-2","bio":"${long}"}\nno json\n{"id":7,"email":"b@example.com"}\n`
  const { code, out, err } = await call(['profiles', 'import', '-', '--replace'], { input })
  expect(code).toBe(1)
  expect(err).toMatch(/^line 3: The line is not JSON$/m)
  expect(err).toMatch(/^line 2: .*256/m)
  expect(out).toBe('4 rows: 2 profiles written. 2 rows failed.\n')
  expect(await profileOf('js-1')).toEqual({ email: 'a@example.com', address: { zip: 1 } })
  expect(await profileOf('7')).toEqual({ email: 'b@example.com' })
})

test('lines that a spreadsheet writes around its rows are no rows, and cells that it leaves out change nothing', async () => {
  await call(['profiles', 'set', 'sheet-2', 'name=Grace'])
  const path = file(
    'sheet.csv',
    '\ufeffsep=;\r\nid;name;email\r\nsheet-1;"Lovelace, Ada"\r\nsheet-2;;b@example.com\r\n;;\r\n',
  )
  expect(await call(['profiles', 'import', path])).toMatchObject({ code: 0, out: '2 rows: 2 profiles written.\n' })
  expect(await profileOf('sheet-1')).toEqual({ name: 'Lovelace, Ada' })
  expect(await profileOf('sheet-2')).toEqual({ name: 'Grace', email: 'b@example.com' })
})

test.each([
  [
    'no column with an id',
    'email\na@b.c\n',
    [],
    /No column with the id of the recipient\nhint: Give the column with --id\. The columns are email\./,
  ],
  [
    'a mapping for no column',
    'id\na\n',
    ['--map', 'E-Mail=email'],
    /Unknown column `E-Mail`\nhint: The columns are id\./,
  ],
  ['no file', undefined, [], /none\.csv does not exist/],
])('%s is refused before anything is written', async (_name, content, more, words) => {
  const path = content === undefined ? join(folder, 'none.csv') : file('refused.csv', content)
  const { code, out, err } = await call(['profiles', 'import', path, ...more])
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(words)
})

test('an error that is not about a row ends an import, with the line to continue with', async () => {
  const peer = await startRecorder()
  const path = file(
    'away.csv',
    `id,email\n${Array.from({ length: 4_001 }, (_, n) => `a${n},a@example.com`).join('\n')}\n`,
  )
  // The first batch, four calls of a thousand rows, is taken, and the key revoked behind it.
  peer.answer(() => true, { status: 401, body: { message: 'Unknown key' } })
  peer.answer(() => true, { body: { written: 1_000, errors: [], warnings: [] } }, 4)
  const { code, err } = await run(['profiles', 'import', path], { env: { ...env, POSTRIDER_URL: peer.url } })
  await peer.close()
  expect(code).toBe(1)
  expect(err).toMatch(
    /^error: .* rejected the API key\nhint: .* Every row before line 4002 is done\. Continue with: --from-line 4002$/m,
  )
  const skipped = await call(['profiles', 'import', path, '--from-line', '4003'])
  expect(skipped.out).toBe('0 rows: 0 profiles written.\n')
})

test('rows that a call cannot take together are imported by smaller ones', async () => {
  const bio = 'x'.repeat(200_000)
  const ids = Array.from({ length: 60 }, (_, n) => `wide-${n}`)
  const line = (row: object) => `${JSON.stringify(row)}\n`
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })
  const rows = file('wide.jsonl', ids.map((id) => line({ id, bio })).join(''))
  expect((await call(['profiles', 'import', rows])).out).toBe('60 rows: 60 profiles written.\n')
  // The stored profiles have 12 MB together, and one row nests as deeply as a profile may.
  const deep = line({ id: 'wide-60', deep: nested(29) })
  const deeper = line({ id: 'wide-61', deep: nested(40) })
  const more = file('more.jsonl', ids.map((id) => line({ id, vip: true })).join('') + deep + deeper)
  const { code, out, err } = await call(['profiles', 'import', more])
  expect([code, out]).toEqual([1, '62 rows: 61 profiles written. 1 row failed.\n'])
  expect(err).toMatch(/^line 62: The body is nested/m)
  expect(await profileOf('wide-59')).toEqual({ bio, vip: true })
  expect(await profileOf('wide-60')).toEqual({ deep: nested(29) })
})

test('a server of an earlier release is named', async () => {
  const peer = await startRecorder()
  peer.answer(() => true, { status: 404, body: { message: 'Not Found', code: 'unknown_path' } })
  const path = file('earlier.csv', 'id,email\na,a@example.com\n')
  const { code, err } = await run(['profiles', 'import', path], { env: { ...env, POSTRIDER_URL: peer.url } })
  await peer.close()
  expect(code).toBe(1)
  expect(err).toMatch(/^error: The server cannot import profiles\nhint: It is of an earlier release: update it\./m)
})

test('a profile is written, shown and deleted', async () => {
  await call(['profiles', 'set', 'shown', 'email=old@example.com', 'vip:=true'])
  await call(['profiles', 'set', 'shown', 'email=a@example.com'])
  expect(await profileOf('shown')).toEqual({ email: 'a@example.com', vip: true })
  expect(JSON.parse((await call(['profiles', 'show', 'shown'])).out)).toMatchObject({
    profile: { email: 'a@example.com' },
  })
  expect((await call(['profiles', 'delete', 'shown', '--erase'])).out).toMatch(/^Erasing shown: 1-\S+\n$/)
  expect(await call(['profiles', 'show', 'shown'])).toMatchObject({ code: 1, err: 'error: Unknown profile `shown`\n' })
  expect(await call(['profiles', 'set', 'shown'])).toMatchObject({ code: 2, err: expect.stringContaining('No field') })
  expect(await call(['profiles', 'delete', 'shown'])).toMatchObject({
    code: 1,
    err: 'error: Unknown profile `shown`\n',
  })
})

test('lists are made, renamed, filled from arguments and files, left, deleted and restored', async () => {
  const preferences = { notifications: { weekly: { status: 'OPTED_OUT' as const } } }
  expect((await call(['lists', 'create', 'news.eu', '--name', 'News'])).out).toBe('Created news.eu.\n')
  expect(await call(['lists', 'create', 'news.eu'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('exists already'),
  })
  await client.lists.put('news.eu', { name: 'News', preferences })
  await call(['lists', 'rename', 'news.eu', 'Europe'])
  expect(await client.lists.get('news.eu')).toMatchObject({ name: 'Europe', preferences })
  const chosen = ['--preferences', JSON.stringify(preferences)]
  expect((await call(['lists', 'subscribe', 'news.eu', 'ada', 'grace', ...chosen])).code).toBe(0)
  expect((await call(['profiles', 'lists', 'ada'])).out).toMatch(/^news\.eu +Europe$/m)
  expect((await client.lists.subscriptions('news.eu')).items[0]).toMatchObject({ recipientId: 'ada', preferences })
  const path = file('list.csv', 'name,user_id\nAlan,alan\nUnnamed,\nGrace,grace\n')
  const filled = await call(['lists', 'subscribe', 'news.eu', '--csv', path])
  expect(filled).toMatchObject({ code: 1, out: '3 rows: 2 subscribed to news.eu. 1 row failed.\n' })
  expect((await call(['lists', 'subscribers', 'news.eu'])).out).toMatch(/^ada .*\nalan .*\ngrace /m)
  const left = await json<object>(['lists', 'unsubscribe', 'news.eu', 'grace', 'linus'], { env })
  expect(left).toEqual({ list: 'news.eu', unsubscribed: ['grace'], absent: ['linus'] })
  const { results, more } = await json<{ results: unknown[]; more: boolean }>(
    ['lists', 'subscribers', 'news.eu', '--limit', '1'],
    { env },
  )
  expect([results.length, more]).toEqual([1, true])
  expect((await call(['lists', 'list', '--pattern', 'news.*'])).out).toMatch(/^news\.eu +Europe /m)
  expect((await call(['lists', 'delete', 'news.eu'])).code).toBe(0)
  expect(await call(['lists', 'show', 'news.eu'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('Unknown list `news.eu`'),
  })
  expect((await call(['lists', 'restore', 'news.eu'])).code).toBe(0)
  expect(await subscribersOf('news.eu')).toEqual(['ada', 'alan'])
})

interface BulkResult {
  jobId: string
  rows: number
  added: number
  present: number
  failedRows: number
  statuses: Record<string, number>
  failures: { line: number; error: string }[]
  failed: { recipient: string; status: string; error?: string }[]
}

test('a file is sent to, each row once, and the messages are counted by status', async () => {
  const path = file(
    'send.csv',
    'recipient,email,First name\nb-1,a@example.com,Ada\nb-2,b@example.com,Grace\nb-1,again@example.com,Ada\nb-2,b@example.com,Grace\n,anon@example.com,Alan\n,,Unnamed\n',
  )
  const args = ['bulk', 'send', 'welcome', '--csv', path, '--map', 'First name=data.name']
  expect((await call([...args, '--dry-run'])).out).toContain(
    '6 rows checked, nothing was sent: 3 messages would be sent, 1 row repeated, 2 rows invalid.\n',
  )
  const { code, out } = await call([...args, '--json'])
  expect(code).toBe(1)
  const result = JSON.parse(out) as BulkResult
  expect(result).toMatchObject({ rows: 6, added: 3, present: 1, failedRows: 2, statuses: { DELIVERED: 3 }, failed: [] })
  // The second message for a recipient, such as another invoice, is not dropped silently.
  expect(result.failures).toMatchObject([
    { line: 7, error: 'The row has neither an id nor an address' },
    { line: 4, error: 'Duplicate user with other data: a job has one message for each recipient' },
  ])
  const { results } = await client.messages.list({ messageId: result.jobId })
  expect(
    results
      .map(({ recipient }) => recipient)
      .toSorted()
      .slice(1),
  ).toEqual(['b-1', 'b-2'])
})

test('messages that fail are named, and make the exit code 1', async () => {
  const path = file('fail.csv', 'id,email\nf-1,a@example.com\nf-2,\n')
  const { code, out } = await call([
    'bulk',
    'send',
    '--csv',
    path,
    '--json-body',
    file('job.json', '{"event":"nowhere"}'),
  ])
  expect(code).toBe(1)
  expect(out).toMatch(/^UNMAPPED +2$/m)
  expect(out).toMatch(/^UNMAPPED +f-2 +1-/m)
})

test('the file that was imported can be sent to', async () => {
  const path = file('both.csv', 'id,email,name\nboth-1,a@example.com,Ada\n')
  expect((await call(['profiles', 'import', path, '--list', 'both'])).code).toBe(0)
  const args = ['bulk', 'send', 'welcome', '--csv', path, '--other-columns', 'data']
  expect(await json<BulkResult>(args, { env })).toMatchObject({ added: 1, statuses: { DELIVERED: 1 } })
})

test('columns without a place are named with what to do', async () => {
  const { code, err } = await call(['bulk', 'send', 'welcome', '--csv', file('columns.csv', 'id,name\na,Ada\n')])
  expect(code).toBe(2)
  expect(err).toMatch(/No field matches the columns name\nhint: .*--map 'name=data\.name'/)
})

test('a job that an interruption left is continued: no user is added twice, and it runs once', async () => {
  const { jobId } = await client.bulk.create({ message: { event: 'welcome' } })
  await client.bulk.ingest(jobId, { users: [{ recipient: 'c-1', profile: { email: 'a@example.com' } }] })
  const path = file('continue.csv', 'id,email\nc-1,a@example.com\nc-2,b@example.com\n,c@example.com\n')
  const args = ['bulk', 'send', '--csv', path, '--job', jobId]
  const continued = await json<BulkResult>(args, { env })
  expect(continued).toMatchObject({ jobId, rows: 3, added: 2, present: 1, statuses: { DELIVERED: 3 } })
  expect(await json<BulkResult>(args, { env })).toMatchObject({
    ...{ rows: 3, added: 0, present: 3, failedRows: 0, statuses: { DELIVERED: 3 } },
  })
  expect(await json([...args, '--dry-run'], { env })).toMatchObject({ rows: 3, sent: 0, present: 3, failed: 0 })
})

test('a key or a job that was used before drops no row silently: another one fails, and so does another message', async () => {
  const send = (name: string, rows: string, ...more: string[]) =>
    call(['bulk', 'send', 'welcome', '--csv', file(name, rows), '--idempotency-key', 'used-before', ...more])
  const users = Array.from({ length: 120 }, (_, n) => `k-${n},k-${n}@example.com,${n}\n`).join('')
  const columns = 'id,email,data.name\n'
  expect((await send('used.csv', `${columns}${users}`)).code).toBe(0)
  const again = await send('used.csv', `${columns}${users}`, '--json')
  expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { rows: 120, present: 120, failedRows: 0 }])
  const other = await send(
    'other.csv',
    `${columns}k-119,k-119@example.com,119\nk-0,k-0@example.com,new\nk-1,corrected@example.com,1\nnew,n@x.example,N\n`,
    '--json',
  )
  expect([other.code, JSON.parse(other.out)]).toMatchObject([1, { rows: 4, added: 0, present: 1, failedRows: 3 }])
  const differing = expect.stringMatching(/^In the job 1-\S+ with other data, which runs once/)
  expect(JSON.parse(other.out).failures).toEqual([
    { line: 3, error: differing },
    { line: 4, error: differing },
    { line: 5, error: expect.stringMatching(/^Not in the job 1-\S+, which runs once/) },
  ])
  const message = await send('used.csv', `${columns}${users}`, '--data', 'name=Other')
  expect(message).toMatchObject({ code: 1, err: expect.stringContaining('Idempotency-Key was used with another body') })
})

test('rows with tokens, which the API masks, are found in the job that was run, and what was not compared is named', async () => {
  const rows = '{"id":"t-1","data":{"reset_token":"T"},"profile":{"email":"t@example.com","expo":{"token":"E"}}}\n'
  const args = ['bulk', 'send', 'welcome', '--csv', file('tokens.jsonl', rows.repeat(2)), '--idempotency-key', 'tokens']
  expect((await call(args)).code).toBe(0)
  const { code, out, err } = await call(args)
  expect([code, out]).toEqual([0, expect.stringMatching(/^2 rows: 0 users added, 2 already in the job\.$/m)])
  expect(err.match(/The API masks tokens/g)).toHaveLength(1)
  // The progress counts rows: no user is added.
  expect(err).toMatch(/^2 rows, 0 failed/m)
})

test('an interruption while rows are read sends nothing, and names how to go on', async () => {
  const { child, output, ended } = start(['bulk', 'send', 'welcome', '--csv', '-'], { env })
  child.stdin.write('id,email\nstop-1,a@example.com\n')
  const [, jobId = ''] = await until(
    async () => /^Job (\S+)$/m.exec(output.err) ?? [],
    ([value]) => value !== undefined,
  )
  child.kill('SIGINT')
  expect(await ended).toBe(1)
  expect(output.err).toContain(`error: Stopped\nhint: Nothing was sent. Continue with: --job ${jobId} --from-line 1\n`)
  expect((await client.bulk.get(jobId)).job).toMatchObject({ status: 'CREATED', received: 0 })
})

test('suppressed addresses are added, imported, listed and removed', async () => {
  const { out } = await call(['suppressions', 'add', 'Ada@Example.com', '+1 202 555 0143', '--note', 'By telephone'])
  expect(out).toBe('2 added, 0 on the list already.\n')
  const failed = join(folder, 'not-suppressed.csv')
  const path = file(
    'suppressed.csv',
    'Email,phone_number,reason,created\nada@example.com,,hard_bounce,1\nbob@example.com,,complaint,2\nbob@,,manual,3\n,,manual,4\n,+12025550144,because,5\n,+12025550145,,6\n',
  )
  const imported = await call(['suppressions', 'import', path, '--errors', failed, '--json'])
  expect(imported.code).toBe(1)
  expect(JSON.parse(imported.out)).toMatchObject({ rows: 6, added: 2, existing: 1, failed: 3 })
  const lines = readFileSync(failed, 'utf8').split('\n')
  expect(lines.map((line) => line.split(',')[0]).toSorted()).toEqual(['', '#line', '4', '5', '6'])
  expect(lines.join('\n')).toContain('must be one email address')
  const again = await call(['suppressions', 'import', failed, '--reason', 'manual', '--json'])
  expect(JSON.parse(again.out)).toMatchObject({ rows: 3, added: 1, failed: 2 })

  const listed = await call(['suppressions', 'list', '--reason', 'complaint'])
  expect(listed.out).toMatch(/^ADDRESS +KIND +REASON +SOURCE .*\nbob@example\.com +email +complaint +key\//)
  const [entry] = (
    await json<{ results: { id: string }[] }>(['suppressions', 'list', '--address', '+12025550143'], { env })
  ).results
  const removed = await call(['suppressions', 'remove', 'ADA@example.com', entry!.id, 'unknown@example.com'])
  expect(removed).toMatchObject({
    code: 1,
    out: `Removed ADA@example.com, ${entry!.id}.\nNot on the list: unknown@example.com.\n`,
  })
  expect((await call(['suppressions', 'list', '--address', 'ada@example.com'])).out).toBe('None.\n')

  const nothing = await call(['suppressions', 'import', file('names.csv', 'name\nAda\n')])
  expect(nothing).toMatchObject({ code: 2, err: expect.stringContaining('No column holds the address') })
})
