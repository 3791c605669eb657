/** Headers: at most a hundred, none dropped without a word, and all of them within ten seconds. */
import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  /** The bytes until the server closes the connection, and when both began and ended. */
  async function talk(text: string): Promise<{ reply: string; began: number; ended: number }> {
    const { port, hostname } = new URL(api.url)
    const socket = connect(Number(port), hostname).setEncoding('utf8')
    const began = Date.now()
    socket.write(text)
    let reply = ''
    for await (const part of socket) reply += part
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

  test('headers that are not complete after ten seconds are given up', async () => {
    const slow = await Promise.all(['GET /livez HTTP/1.1\r\nhost: x\r\n', 'GE', ''].map(talk))
    for (const { reply, began, ended } of slow) {
      expect(reply).toMatch(/^HTTP\/1.1 408 /)
      expect(ended - began).toBeGreaterThan(9_000)
    }
  })
})
