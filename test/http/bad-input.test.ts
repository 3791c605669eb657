/** An invalid request is refused with a 4xx that names the error, and nothing has changed. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Log } from '@postrider/server'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ApiReply } from '../support/api-client.ts'
import { openApp, withApp } from '../support/app.ts'
import { keys, type RecordingApp, type RecordingOptions } from '../support/recording-app.ts'
import { until } from '../support/until.ts'

const refused = (answer: ApiReply, status: number, message: RegExp | string) => {
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.json).toMatchObject({ message: expect.stringMatching(message), type: 'invalid_request_error' })
  expect(answer.status).toBe(status)
}

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const withData = (data: string) => `{"event":"e","recipient":"r","data":${data}}`

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  /** A server whose log is recorded. */
  async function openWatched(replaced: RecordingOptions['replace'] = {}) {
    const lines: { level: string; fields: object }[] = []
    const note = (level: string) => (fields: object) => void lines.push({ level, fields })
    const log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
    const server = await openApp({
      pipeline: 'recording',
      engine: api.engine,
      replace: {
        log: { ...log, child: () => log, isLevelEnabled: () => true } as unknown as Log,
        ...replaced,
      },
    })
    return { server, lines }
  }

  /** Sends the beginning of a body and breaks off as soon as the server waits for it. */
  async function breakOff(url: string, header: string, beginning = '{"event":'): Promise<void> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const head = ['POST /send HTTP/1.1', 'host: x', `authorization: Bearer ${keys.production}`, header]
    socket.write(`${[...head, 'expect: 100-continue'].join('\r\n')}\r\n\r\n`)
    await once(socket, 'data')
    await new Promise((resolve) => socket.write(beginning, resolve))
    socket.resetAndDestroy()
  }

  const expectAborted = async (lines: { level: string; fields: object }[]) => {
    await until(
      async () => lines.filter(({ fields }) => JSON.stringify(fields).includes('send.send')),
      (lines) => lines.some(({ fields }) => 'event' in fields && fields.event === 'request.aborted'),
    )
    expect(lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
  }

  test('a client that breaks off in the middle of a body is no error in the log', async () => {
    const { server, lines } = await openWatched()
    try {
      await breakOff(server.url, 'content-length: 1000')
      await expectAborted(lines)
    } finally {
      await server.stop()
    }
  })

  test.each([
    ['content-length: 1000', '{"event":'],
    ['transfer-encoding: chunked', '9\r\n{"event":\r\n'],
  ])(
    'a client that breaks off while its key is checked is noticed, and its call ends (%s)',
    async (header, beginning) => {
      const names = { keyId: 'PRODUCTION', keyName: 'production', name: 'production', expires: null }
      const caller = { ...names, workspaceId: 1, mode: 'live', kind: 'published', role: 'full' } as const
      const unexpected = async () => Promise.reject(new Error('no session was expected'))
      const { server, lines } = await openWatched({
        callers: {
          ofConnection: () => undefined,
          async find(_authorization, connection) {
            await new Promise((resolve) => (connection as Socket).once('close', resolve))
            // The request has emitted its error by then.
            await new Promise(setImmediate)
            return caller
          },
          findSession: unexpected,
          findKey: unexpected,
          used: () => undefined,
          forget: async () => undefined,
          close: async () => undefined,
        },
      })
      try {
        await breakOff(server.url, header, beginning)
        await expectAborted(lines)
      } finally {
        await server.stop()
      }
    },
  )

  describe('a send is refused', () => {
    test.each([
      ['without a body', '', 'A body is required'],
      ['without an event', { recipient: 'r' }, 'event is required'],
      ['without a recipient', { event: 'e' }, 'recipient is required'],
      ['without both', {}, 'event, recipient are required'],
      ['without its wrapper', { to: { user_id: 'ada' }, template: 't' }, 'Put `to` and `template` into `message`.'],
      [
        'with content and data without its wrapper',
        { content: { title: 'a', body: 'b' }, data: {}, to: 'ada', odd: 1 },
        'Put `content`, `data` and `to` into `message`.',
      ],
      ['of both generations', { event: 'e', to: 'ada' }, 'recipient is required'],
      ['with an empty event', { event: '', recipient: 'r' }, 'event must not be empty'],
      ['with an empty recipient', { event: 'e', recipient: '' }, 'recipient must not be empty'],
      ['with an event that is a number', { event: 1, recipient: 'r' }, 'event must be a string'],
      [
        'with a recipient that is a list',
        { event: 'e', recipient: [] },
        'recipient must be a string or a whole number',
      ],
      ['with a profile that is a list', { event: 'e', recipient: 'r', profile: [1] }, 'profile must be an object'],
      ['with data that is a text', { event: 'e', recipient: 'r', data: 'x' }, 'data must be an object'],
      ['with an event of 513 characters', { event: 'e'.repeat(513), recipient: 'r' }, /^event must have at most 512/],
      ['with an invalid timestamp', { event: 'e', recipient: 'r', delay: { until: 'soon' } }, /^delay.until must be/],
      [
        'with a day that does not exist',
        { event: 'e', recipient: 'r', delay: { until: '2026-02-30T10:00:00Z' } },
        'delay.until is not a timestamp: the day `2026-02-30` does not exist',
      ],
      ['that is a list', [1], 'body must be an object'],
      ['that is an empty list', [], 'event, recipient are required'],
      ['that is a text', '"x"', 'body must be an object'],
      [
        'that is half JSON',
        '{"event":',
        /^The body is not valid JSON at position 9 \(line 1, column 10\): it ends before it is complete$/,
      ],
      [
        'with a comma too many',
        '{\n  "event": "secret",\n}',
        /^The body is not valid JSON at position 23 \(line 3, column 1\)$/,
      ],
      ['that nests 33 deep', withData(nested(32)), 'The body is nested too deeply'],
      ['that nests 200,000 deep', withData(nested(200_000)), 'The body is nested too deeply'],
      ['with a key `__proto__`', withData('{"__proto__":{"x":1}}'), 'The body has a key `__proto__`'],
      ['with a disguised key `__proto__`', withData('{"__proto\\u005f_":{}}'), 'The body has a key `__proto__`'],
      ['with U+0000 in a value', withData('{"a":"x\\u0000"}'), /^The body holds U\+0000/],
      ['with U+0000 in a key', withData('{"a\\u0000":1}'), /^The body has a key with U\+0000/],
      ['with half a surrogate pair in a value', withData('{"a":["\\ud800"]}'), /^The body holds U\+0000 or half/],
      ['with half a surrogate pair in a key', withData('{"\\udc00":1}'), /^The body has a key with U\+0000 or half/],
      ['with invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'The body is not valid UTF-8'],
      ['as a form with a key `__proto__`', 'event=e&recipient=r&__proto__[x]=1', 'The body has a key `__proto__`'],
      ['as a form of 1,001 fields', Array.from({ length: 1_001 }, (_, i) => `a${i}=1`).join('&'), /not a valid form/],
      ['as a form nested too deeply', `event=e&recipient=r&data${'[a]'.repeat(9)}=1`, /not a valid form/],
      ['as a form with broken percent-encoding', 'event=%zz&recipient=r', /not a valid form/],
      ['as a form with U+0000', 'event=e%00&recipient=r', /^The body holds U\+0000/],
    ])('%s', async (_title, body, message) => {
      refused(await api.call('POST', '/send', { body }), 400, message)
      expect(api.sends).toEqual([])
    })

    test('beyond 6 MB', async () => {
      const body = `{"event":"e","recipient":"r","data":{"a":"${'x'.repeat(6 * 1_048_576 - 44)}"}}`
      expect(Buffer.byteLength(body)).toBe(6 * 1_048_576 + 1)
      refused(await api.call('POST', '/send', { body }), 413, 'The body is larger than 6 MB')
      expect(api.sends).toEqual([])
    })
  })

  test('a body of exactly 6 MB and one of 32 levels are taken', async () => {
    const body = `{"event":"e","recipient":"r","data":{"a":"${'x'.repeat(6 * 1_048_576 - 45)}"}}`
    expect((await api.call('POST', '/send', { body })).status).toBe(200)
    expect((await api.call('POST', '/send', { body: withData(nested(31)) })).status).toBe(200)
    api.sends.length = 0
  })

  describe('a query is refused', () => {
    test.each([
      ['with a malformed cursor', '/messages?cursor=zz'],
      ['with a cursor of another list', `/messages?cursor=${Buffer.from('[1,"a"]').toString('base64url')}`],
      ['with a cursor of a list sorted by name', `/messages?cursor=${Buffer.from('["a"]').toString('base64url')}`],
      ['with a cursor that is too long', `/messages?cursor=${'a'.repeat(4_201)}`],
      ['with an unknown status', '/messages?status=LOST'],
      ['with a flag that is none', '/messages?archived=perhaps'],
      ['with an invalid timestamp', '/messages?enqueued_after=yesterday'],
      ['with broken percent-encoding', '/messages?event=%zz'],
      ['with U+0000', '/messages?event=a%00'],
      ['with 51 values of one filter', `/messages?${'tag=a&'.repeat(51)}`],
      ['with 201 parameters', `/messages?${'tag=&'.repeat(201)}`],
      ['with an unknown kind of history', '/messages/m/history?type=BOGUS'],
    ])('%s', async (_title, path) => {
      refused(await api.call('GET', path), 400, /./)
    })

    test('by its name', async () => {
      refused(await api.call('GET', '/messages?status=LOST'), 400, /^status must be one of `ENQUEUED`, /)
      refused(await api.call('GET', '/messages?status=SENT,LOST'), 400, /^status.1 must be one of `ENQUEUED`, /)
    })

    test('by the nearest value, where there are many', async () => {
      const reply = await api.call('GET', '/messages?finding=variable_mising')
      refused(reply, 400, /^finding must be one of 21 values\. Did you mean `variable_missing`\?$/)
      expect(reply.json.param).toBe('finding')
      refused(
        await api.call('GET', '/messages?reason=EXPIRED&reason=BOUNCE'),
        400,
        /^reason\.1 must be one of \d+ values\. Did you mean `BOUNCED`\?$/,
      )
    })
  })

  test("an unknown query parameter of Postrider's own operations is refused, unless it is empty", async () => {
    for (const [method, path] of [
      ['GET', '/keys'],
      ['POST', '/webhooks'],
      ['DELETE', '/events/none'],
    ] as const) {
      const options = method === 'GET' ? {} : { body: {} }
      refused(
        await api.call(method, `${path}?paint=red`, options),
        400,
        /^Unknown query parameter `paint`\.(?: The call has [^.]+\.)?$/,
      )
      const silent = await api.call(method, `${path}?paint=undefined&cursor=&flag`, options)
      expect(silent.text).toBe((await api.call(method, path, options)).text)
    }
    expect((await api.call('GET', '/livez?at=5')).status).toBe(200)
    const misspelled = await api.call('GET', '/mailbox?recipent=ada')
    refused(misspelled, 400, 'Unknown query parameter `recipent`. Did you mean `recipient`?')
    refused(await api.call('GET', '/mailbox?limit=101'), 400, /^limit must be/)
    refused(await api.call('GET', '/mailbox?limit=abc'), 400, /^limit must be/)
  })

  test.each([
    ['U+0000', '/profiles/a%00b', 400],
    ['broken percent-encoding', '/profiles/%zz', 400],
    ['an id of 513 characters', `/profiles/${'x'.repeat(513)}`, 400],
    ['an id too long for any schema', `/profiles/${'x'.repeat(7_000)}`, 414],
  ])('a path with %s is refused, in a short reply with an id', async (_title, path, status) => {
    const answer = await api.call('GET', path)
    refused(answer, status, /./)
    expect(answer.headers.get('x-request-id')).toBeTruthy()
    expect(answer.text.length).toBeLessThan(200)
  })

  describe('a patch is refused whole', () => {
    const profile = { text: 'x'.repeat(1_000), list: [1], name: 'Ada' }
    beforeAll(async () => {
      await api.call('PUT', '/profiles/patched', { body: { profile } })
    })

    test.each([
      [
        'a failing test',
        [
          { op: 'add', path: '/a', value: 1 },
          { op: 'test', path: '/a', value: 2 },
        ],
      ],
      ['a missing path', [{ op: 'replace', path: '/nowhere/x', value: 1 }]],
      ['a missing parent', [{ op: 'add', path: '/nowhere/x', value: 1 }]],
      ['a document that doubles', Array.from({ length: 20 }, (_, i) => ({ op: 'copy', from: '', path: `/k${i}` }))],
      ['a prototype', [{ op: 'add', path: '/__proto__/x', value: 1 }]],
      ['a constructor', [{ op: 'add', path: '/constructor/prototype/x', value: 1 }]],
      ['a list instead of an object', [{ op: 'replace', path: '', value: [] }]],
      ['an unknown operation', [{ op: 'turn', path: '/a' }]],
      ['101 operations', Array.from({ length: 101 }, () => ({ op: 'add', path: '/a', value: 1 }))],
      [
        'what grows too deep',
        Array.from({ length: 40 }, (_, i) => ({ op: 'add', path: '/d'.repeat(i + 1), value: {} })),
      ],
    ])('%s', async (_title, patch) => {
      refused(await api.call('PATCH', '/profiles/patched', { body: { patch } }), 400, /./)
      expect((await api.call('GET', '/profiles/patched')).json.profile).toEqual(profile)
    })
  })

  test('a profile beyond 256 kB is refused however it is written', async () => {
    const half = { a: 'x'.repeat(200_000) }
    expect((await api.call('PUT', '/profiles/large', { body: { profile: half } })).status).toBe(200)
    refused(await api.call('POST', '/profiles/large', { body: { profile: { b: half.a } } }), 413, /256000/)
    refused(await api.call('PUT', '/profiles/large', { body: { profile: { ...half, b: half.a } } }), 413, /256000/)
    expect((await api.call('GET', '/profiles/large')).json.profile).toEqual(half)
  })

  test('a request that is not HTTP is answered with the same error body', async () => {
    const { port, hostname } = new URL(api.url)
    const socket = connect(Number(port), hostname).setEncoding('utf8')
    socket.write(`GET /livez HTTP/1.1\r\nhost: x\r\nbroken header\r\n\r\n`)
    let text = ''
    for await (const part of socket) text += part
    expect(text).toMatch(/^HTTP\/1.1 400 /)
    expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual({
      message: 'The request is not valid HTTP',
      type: 'invalid_request_error',
      code: 'malformed_request',
      doc: 'http://postrider.test/docs/errors#malformed_request',
    })
  })

  test('a compressed body is refused', async () => {
    const answer = await api.call('POST', '/send', { body: 'x', headers: { 'content-encoding': 'gzip' } })
    refused(answer, 415, 'A body with a Content-Encoding is not read')
  })

  test('headers too large are refused', async () => {
    const answer = await api.call('GET', '/livez', { headers: { 'x-large': 'x'.repeat(20_000) } })
    refused(answer, 431, 'The headers are too large')
  })

  test('a foreign id is as unknown as a missing one', async () => {
    await api.call('PUT', '/profiles/secret', { body: { profile: { a: 1 } } })
    const foreign = await api.call('GET', '/profiles/secret', { apiKey: keys.test })
    const missing = await api.call('GET', '/profiles/none', { apiKey: keys.test })
    expect([foreign.status, foreign.text]).toEqual([missing.status, missing.text])
    expect(foreign.status).toBe(404)
  })
})
