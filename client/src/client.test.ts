/** The client against a real HTTP server that answers from a script. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { isPostriderError, Postrider, type PostriderError, type PostriderOptions } from './index.ts'

interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}
type Answer = { status?: number; headers?: Record<string, string>; body?: unknown } | 'drop' | 'hang'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function server(...answers: Answer[]) {
  const seen: Seen[] = []
  const http = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const answer = answers[Math.min(seen.length, answers.length - 1)]
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      give(answer ?? {}, response)
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    http.closeAllConnections()
    http.close()
  })
  const { port } = http.address() as AddressInfo
  const client = (options: Partial<Extract<PostriderOptions, { apiKey: string }>> = {}) =>
    new Postrider({ baseUrl: `http://127.0.0.1:${port}/`, apiKey: 'pk_prod_hidden', backoffMs: 1, ...options })
  return { seen, client }
}

function give(answer: Answer, response: ServerResponse): void {
  if (answer === 'hang') return
  if (answer === 'drop') {
    response.destroy()
    return
  }
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
  response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body))
}

const failure = async (call: Promise<unknown>): Promise<PostriderError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isPostriderError(error)) throw new Error(`Not a PostriderError: ${inspect(error)}`)
  return error
}
const again = { 'retry-after': '0' }
const message = { event: 'welcome', recipient: 'user-7' }

test('a send is a JSON POST with the key, and its reply comes back', async () => {
  const { client, seen } = await server({ body: { messageId: '1-a' } })
  expect(await client().send(message)).toEqual({ messageId: '1-a' })
  expect(seen[0]).toMatchObject({ method: 'POST', url: '/send' })
  expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer pk_prod_hidden', 'content-type': 'application/json' })
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual(message)
})

test('a session sends no key: its header stands beside the cookie of the browser, which goes to no other origin', async () => {
  const calls: RequestInit[] = []
  const fetch = async (_url: unknown, init?: RequestInit) => {
    calls.push(init ?? {})
    return new Response('{}')
  }
  await new Postrider({ session: true, fetch }).settings.get()
  await new Postrider({ session: 'test', fetch }).settings.get()
  await new Postrider({ apiKey: 'k', fetch }).settings.get()
  const [session, inTest, key] = calls.map(({ headers, credentials }) => ({ headers, credentials }))
  expect(session).toEqual({
    headers: { 'x-postrider-session': '1', accept: 'application/json', prefer: 'handling=strict' },
    credentials: 'same-origin',
  })
  expect(inTest?.headers).toMatchObject({ 'x-postrider-session': 'test' })
  expect(key).toEqual({
    headers: { authorization: 'Bearer k', accept: 'application/json', prefer: 'handling=strict' },
    credentials: undefined,
  })
})

test('a strict send says so in the query', async () => {
  const { client, seen } = await server({ body: { messageId: '1-a' } })
  await client().send(message, { strict: true })
  await client().send(message, { retries: 0 })
  expect(seen.map(({ url }) => url)).toEqual(['/send?strict=true', '/send'])
})

test('a GET is strict unless its headers say otherwise, and nothing else is', async () => {
  const { client, seen } = await server({ body: { results: [], paging: { more: false } } })
  await client().messages.list()
  await client().messages.list({}, { headers: { Prefer: 'handling=lenient' } })
  await client().send(message)
  await client().profiles.replace('ada', { profile: {} })
  await client().profiles.patch('ada', { patch: [] })
  await client().profiles.delete('ada')
  expect(seen.map(({ method, headers }) => [method, headers.prefer])).toEqual([
    ['GET', 'handling=strict'],
    ['GET', 'handling=lenient'],
    ['POST', undefined],
    ['PUT', undefined],
    ['PATCH', undefined],
    ['DELETE', undefined],
  ])
})

test('warnings of a reply come with the call that they are about', async () => {
  const headers = { 'postrider-warnings': String.raw`["Unknown field: gr\u00f6\u00dfe."]` }
  const body = { messageId: '1-a' }
  const cut = { headers: { 'postrider-warnings': '["' }, body }
  const { client } = await server({ headers, body }, { headers, body }, { body }, cut, { headers, body })
  const seen: unknown[] = []
  const postrider = client({ onWarning: (...all) => seen.push(all) })
  await postrider.send(message)
  await postrider.profiles.merge('a/b', { profile: {} }, { onWarning: (...all) => seen.push(['of one call', ...all]) })
  await postrider.send(message)
  expect(await postrider.send(message)).toEqual(body)
  expect(await client().send(message)).toEqual(body)
  const warnings = ['Unknown field: größe.']
  expect(seen).toEqual([
    [warnings, { method: 'POST', path: '/send' }],
    ['of one call', warnings, { method: 'POST', path: '/profiles/a%2Fb' }],
  ])
})

test.each([
  [{ apiKey: '' }, 'apiKey is empty'],
  [{ apiKey: ' ' }, 'apiKey is empty'],
  [{ apiKey: undefined as unknown as string }, 'apiKey is empty'],
  [{ apiKey: 'k', session: true } as unknown as PostriderOptions, 'apiKey and session exclude each other'],
  [{} as unknown as PostriderOptions, 'apiKey is empty'],
  [{ apiKey: 'pk_prod_…' }, 'apiKey has a character that no key has ("…"): paste the whole key'],
  [{ apiKey: 'pk_\nprod' }, 'apiKey has a character that no key has ("\\n"): paste the whole key'],
  [{ apiKey: 'k', baseUrl: 'localhost:4600' }, 'baseUrl must begin with http:// or https://, and is "localhost:4600"'],
  [{ apiKey: 'k', baseUrl: '' }, 'baseUrl must begin with http:// or https://, and is ""'],
  [{ apiKey: 'k', baseUrl: 'ftp://x' }, 'baseUrl must begin with http:// or https://, and is "ftp://x"'],
])('%o is refused at once', (options, words) => {
  expect(() => new Postrider(options)).toThrow(words)
})

test('every error names the URL, without the query', async () => {
  const { client } = await server('drop', { status: 502 }, 'hang')
  const call = () => failure(client({ retries: 0, timeoutMs: 200 }).messages.list({ recipient: 'ada' }))
  const [dropped, odd, hung] = [await call(), await call(), await call()]
  for (const { url } of [dropped, odd, hung]) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/messages$/)
  expect(dropped.message).toBe(`The server at ${dropped.url} cannot be reached`)
  expect(odd.message).toBe(`502 Bad Gateway from ${odd.url}`)
  expect(hung.message).toBe(`No answer from ${hung.url} within 200 ms`)
})

test('an error has its code, the faulty input and the page of the server; one of a proxy has none', async () => {
  const body = {
    message: 'No',
    type: 'invalid_request_error',
    code: 'invalid_field',
    param: 'to.1',
    doc: 'http://d#x',
  }
  const { client } = await server({ status: 400, body }, { status: 400, body: { message: 'No', code: 7 } })
  expect(await failure(client().send(message))).toMatchObject({
    code: 'invalid_field',
    param: 'to.1',
    doc: 'http://d#x',
  })
  expect(await failure(client().send(message))).toMatchObject({ code: undefined, param: undefined, doc: undefined })
})

test('the attempts of one call share an idempotency key, two calls do not', async () => {
  const { client, seen } = await server({ status: 503, headers: again }, { body: { messageId: '1-a' } })
  const postrider = client()
  await postrider.send(message)
  await postrider.send(message)
  const keys = seen.map(({ headers }) => headers['idempotency-key'])
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(keys[1]).toBe(keys[0])
  expect(keys[2]).not.toBe(keys[0])
})

test('a given idempotency key is used, and other methods carry none', async () => {
  const { client, seen } = await server({ body: {} })
  await client().send(message, { idempotencyKey: 'order-1' })
  await client().profiles.get('user-7')
  expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['order-1', undefined])
})

test('a write under a condition has its header, and is not repeated by itself', async () => {
  const { client, seen } = await server({ status: 503, headers: again }, { body: {} })
  expect((await failure(client().lists.put('news', { name: 'News' }, { ifAbsent: true }))).status).toBe(503)
  expect(seen).toHaveLength(1)
  await client().automations.putTemplate('a', { automation: { steps: [] } }, { ifMatch: 3 })
  await client().lists.put('news', { name: 'News' }, { ifAbsent: false })
  const conditions = seen.map(({ headers }) => [headers['if-none-match'], headers['if-match']])
  expect(conditions).toEqual([
    ['*', undefined],
    [undefined, '"3"'],
    [undefined, undefined],
  ])
})

test.each([408, 429, 500, 502, 503, 504])('%i is tried again', async (status) => {
  const { client, seen } = await server({ status, headers: again }, { body: { messageId: '1-a' } })
  expect(await client().send(message)).toEqual({ messageId: '1-a' })
  expect(seen).toHaveLength(2)
})

test.each([400, 401, 404, 409, 413])('%i is not tried again', async (status) => {
  const { client, seen } = await server({ status, body: { message: 'No', type: 'invalid_request_error' } })
  expect((await failure(client().send(message))).status).toBe(status)
  expect(seen).toHaveLength(1)
})

test('a broken connection is tried again', async () => {
  const { client, seen } = await server('drop', { body: { messageId: '1-a' } })
  expect(await client().send(message)).toEqual({ messageId: '1-a' })
  expect(seen).toHaveLength(2)
})

test('the server has the last word on whether to try again', async () => {
  const no = await server({ status: 500, headers: { 'x-should-retry': 'false' } })
  await failure(no.client().send(message))
  expect(no.seen).toHaveLength(1)
  const yes = await server(
    { status: 409, headers: { 'x-should-retry': 'true', ...again } },
    { body: { messageId: '1' } },
  )
  await yes.client().send(message)
  expect(yes.seen).toHaveLength(2)
})

test('a patch is tried again only when it was surely not applied', async () => {
  const lost = await server({ status: 500, headers: again })
  await failure(lost.client().profiles.patch('u', { patch: [] }))
  expect(lost.seen).toHaveLength(1)
  const refused = await server({ status: 429, headers: again }, { body: { status: 'SUCCESS' } })
  await refused.client().profiles.patch('u', { patch: [] })
  expect(refused.seen).toHaveLength(2)
})

test('after the last retry the error of the last attempt is thrown', async () => {
  const { client, seen } = await server({ status: 503 }, { status: 500 })
  expect((await failure(client({ retries: 1 }).send(message))).status).toBe(500)
  expect(seen).toHaveLength(2)
})

test('a wait of more than a minute is left to the caller', async () => {
  const { client, seen } = await server({ status: 429, headers: { 'retry-after': '3600' } })
  expect(await failure(client().send(message))).toMatchObject({ kind: 'rate_limit', retryAfterMs: 3_600_000 })
  expect(seen).toHaveLength(1)
})

test('a server that does not answer ends in a timeout', async () => {
  const { client } = await server('hang')
  const error = await failure(client({ timeoutMs: 50, retries: 0 }).messages.get('1-a'))
  expect(error).toMatchObject({ kind: 'timeout', status: undefined })
})

test('an abort ends a call, its wait for the next attempt included', async () => {
  const { client, seen } = await server({ status: 503, headers: { 'retry-after': '50' } })
  const stop = new AbortController()
  const call = client({
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      setImmediate(() => stop.abort(new Error('enough')))
      return response
    },
  }).send(message, { signal: stop.signal })
  await expect(call).rejects.toThrow('enough')
  expect(seen).toHaveLength(1)
})

test('an abort during an attempt is thrown as the reason given', async () => {
  const { client, seen } = await server('hang')
  const stop = new AbortController()
  const call = client({
    fetch: (input, init) => {
      const reply = fetch(input, init)
      setImmediate(() => stop.abort(new Error('enough')))
      return reply
    },
  }).send(message, { signal: stop.signal, retries: 0 })
  await expect(call).rejects.toThrow('enough')
  expect(seen.length).toBeLessThan(2)
})

test('an error carries what the server said and never the key', async () => {
  const body = { message: 'Message not found', type: 'invalid_request_error' }
  const { client } = await server({ status: 404, headers: { 'x-request-id': 'r-1' }, body })
  const error = await failure(client().messages.get('1-a'))
  expect(error).toMatchObject({ kind: 'not_found', status: 404, requestId: 'r-1', body, ...body })
  expect(isPostriderError(error, 'not_found')).toBe(true)
  expect(isPostriderError(error, 'conflict')).toBe(false)
  expect(inspect(error, { depth: 10 })).not.toContain('hidden')
})

test('an error page of a proxy is an error like any other', async () => {
  const { client } = await server({ status: 404, body: '<h1>lost</h1>' })
  expect(await failure(client().messages.get('1-a'))).toMatchObject({
    message: expect.stringMatching(/^404 Not Found from http:\/\/127\.0\.0\.1:\d+\/messages\/1-a$/),
    type: undefined,
  })
})

test('a list gives one page when awaited and everything when iterated', async () => {
  const first = { paging: { more: true, cursor: 'c 1' }, results: [{ id: 'a' }, { id: 'b' }] }
  const second = { paging: { more: false }, results: [{ id: 'c' }] }
  const awaited = await server({ body: first })
  expect(await awaited.client().messages.list()).toEqual(first)
  const iterated = await server({ body: first }, { body: second })
  const ids: string[] = []
  const statuses = ['SENT' as const, 'DELIVERED' as const]
  for await (const { id } of iterated.client().messages.list({ recipient: 'a&b', status: statuses, event: undefined }))
    ids.push(id)
  expect(ids).toEqual(['a', 'b', 'c'])
  expect(iterated.seen.map(({ url }) => url)).toEqual([
    '/messages?recipient=a%26b&status=SENT&status=DELIVERED',
    '/messages?recipient=a%26b&status=SENT&status=DELIVERED&cursor=c+1',
  ])
  const paged = await server({ body: first }, { body: second })
  const sizes: number[] = []
  for await (const { results } of paged.client().messages.list().pages()) sizes.push(results.length)
  expect(sizes).toEqual([2, 1])
})

test('a list that fails rejects, awaited or iterated', async () => {
  const { client } = await server({ status: 400, body: { message: 'Bad cursor', type: 'invalid_request_error' } })
  await expect(client().messages.list({ cursor: 'x' })).rejects.toThrow('Bad cursor')
  const iterate = async () => {
    for await (const _ of client().messages.list({ cursor: 'x' })) expect.unreachable()
  }
  await expect(iterate()).rejects.toThrow('Bad cursor')
})

test('ids are encoded in paths', async () => {
  const { client, seen } = await server({ body: { status: 'SUCCESS' } })
  await client().profiles.delete('a/b c?d#e@f|ü')
  expect(seen[0]?.url).toBe('/profiles/a%2Fb%20c%3Fd%23e%40f%7C%C3%BC')
})

test('a reply without a body is undefined, and a text stays a text', async () => {
  const empty = await server({ status: 204 })
  expect(await empty.client().events.delete('e')).toBeUndefined()
  const text = await server({ body: 7 })
  expect(await text.client().service.metrics()).toBe('7')
})

test('an answer that is not JSON is an error that says so, without a retry', async () => {
  let calls = 0
  const fetch = async () => new Response(`<html>${++calls}`)
  const postrider = new Postrider({ apiKey: 'k', fetch, backoffMs: 1 })
  expect(await failure(postrider.messages.get('1-a'))).toMatchObject({ kind: 'invalid_answer' })
  expect(calls).toBe(1)
})

test('an answer without an end is read no further than its bound, and not called again', async () => {
  const megabyte = new Uint8Array(1e6).fill(0x20)
  let read = 0
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => {
        read += 1
        controller.enqueue(megabyte)
      },
    })
  const postrider = new Postrider({ apiKey: 'k', fetch: async () => new Response(endless()), backoffMs: 1 })
  const error = await failure(postrider.messages.get('1-a'))
  expect(error).toMatchObject({ kind: 'invalid_answer', message: expect.stringContaining('is larger than 64 MB') })
  expect(read).toBeLessThan(70)
})

test('a backup of the database is returned as bytes, and a rejected call as an error', async () => {
  const bytes = new Uint8Array([0x1f, 0x8b, 0xff, 0x00, 0x80])
  const answers = [new Response(bytes), new Response('{"message":"Use pg_dump"}', { status: 400 })]
  const postrider = new Postrider({ apiKey: 'k', fetch: async () => answers.shift() ?? Response.error() })
  expect(new Uint8Array(await new Response(await postrider.service.backup()).arrayBuffer())).toEqual(bytes)
  expect((await failure(postrider.service.backup())).message).toBe('Use pg_dump')
})
