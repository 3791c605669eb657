/** Headers: one host, at most a hundred, none dropped without a word, and all of them within ten seconds. */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { rawReply } from '../support/raw-request.ts'
import type { RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  /** The bytes until the server closes the connection, and when both began and ended. */
  async function talk(text: string): Promise<{ reply: string; began: number; ended: number }> {
    const began = Date.now()
    const reply = await rawReply(api.url, text)
    return { reply, began, ended: Date.now() }
  }
  const withHeaders = (count: number) =>
    `GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${Array.from({ length: count - 2 }, (_, n) => `x-${n}: 1\r\n`).join('')}\r\n`

  test('a hundred headers are read, one more is refused', async () => {
    expect((await talk(withHeaders(100))).reply).toMatch(/^HTTP\/1.1 200 /)
    for (const count of [101, 132, 1_000]) {
      const { reply } = await talk(withHeaders(count))
      expect(reply).toMatch(/^HTTP\/1.1 431 /)
      expect(reply).toContain(
        '{"message":"The request has more than 100 headers","type":"invalid_request_error","code":"headers_too_large",',
      )
    }
  })

  /** By a path of each kind: open, with a key, unknown, with a body, for programs on the machine. */
  const paths = ['GET /livez', 'GET /messages', 'GET /nowhere', 'POST /send', 'GET /metrics', 'OPTIONS /send']
  const answers = async (request: string, headers: string, version = '1.1') =>
    (await rawReply(api.url, `${request} HTTP/${version}\r\n${headers}connection: close\r\n\r\n`)).split('\r\n', 1)[0]

  test.each([
    ['two', 'host: localhost\r\nhost: attacker.example\r\n'],
    ['two that are the same', 'host: localhost\r\nHOST: localhost\r\n'],
    ['none', ''],
    ['an empty one', 'host:\r\n'],
    ['one with a user name', 'host: localhost@attacker.example\r\n'],
    ['one with a path', 'host: localhost/x\r\n'],
    ['one with a list', 'host: localhost, attacker.example\r\n'],
    ['one with a directive', 'host: localhost;x\r\n'],
    ['one with a port that is none', 'host: localhost:99999\r\n'],
    ['one that is an address', 'host: http://localhost\r\n'],
  ])('Host: %s is refused, whatever is called', async (_which, headers) => {
    for (const path of paths) expect([path, await answers(path, headers)]).toEqual([path, 'HTTP/1.1 400 Bad Request'])
  })

  test('an address in place of a path has the host of the header', async () => {
    const get = (address: string) => answers(`GET ${address}`, 'host: localhost:4600\r\n')
    for (const path of ['/livez', '/metrics'])
      expect([path, await get(`http://LOCALHOST:4600${path}`)]).toEqual([path, 'HTTP/1.1 200 OK'])
    for (const host of [
      'attacker.example',
      'localhost',
      'localhost:4601',
      'me@localhost:4600',
      'localhost:4600.example',
    ])
      for (const path of ['/livez', '/metrics', ''])
        expect([host, await get(`http://${host}${path}`)]).toEqual([host, 'HTTP/1.1 400 Bad Request'])
  })

  test('an HTTP/1.0 request needs no host, and at most one', async () => {
    expect(await answers('GET /livez', '', '1.0')).toBe('HTTP/1.1 200 OK')
    expect(await answers('GET /livez', 'host: a\r\nhost: a\r\n', '1.0')).toBe('HTTP/1.1 400 Bad Request')
  })

  test('headers that are not complete after ten seconds are given up', async () => {
    const slow = await Promise.all(['GET /livez HTTP/1.1\r\nhost: x\r\n', 'GE', ''].map(talk))
    for (const { reply, began, ended } of slow) {
      expect(reply).toMatch(/^HTTP\/1.1 408 /)
      expect(ended - began).toBeGreaterThan(9_000)
    }
  })
})
