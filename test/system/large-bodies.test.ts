/** A hundred bodies of 5 MB at once: the process stays below 1 GB and answers others all along. */

import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { inTime } from '../support/in-time.ts'
import { runQueueMs, watchPings } from '../support/pings.ts'
import { startServer } from '../support/process.ts'
import { isLong } from '../support/run/long.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
const authorization = `Bearer ${apiKey}`
const ROUNDS = 3
const LARGE = Buffer.from(`{"event":"e","recipient":"r","data":{"a":"${'x'.repeat(5_000_000)}"}}`)

test.runIf(isLong && existsSync('/proc/self/status'))(
  'a hundred at once, three times',
  { timeout: 120_000 },
  async () => {
    const server = await startServer({ env: { ...(await databaseEnvironment()), POSTRIDER_API_KEY: apiKey } })
    const agent = new Agent({ keepAlive: true })
    const post = async (body: Buffer | string): Promise<number | undefined> => {
      const call = request(`${server.url}/send`, { agent, method: 'POST', headers: { authorization } })
      call.end(body)
      const [answer] = (await once(call, 'response')) as [IncomingMessage]
      answer.resume()
      if (answer.statusCode === 503) expect(answer.headers['retry-after']).toBe('1')
      return answer.statusCode
    }
    let isOver = false
    const ping = async () => (await fetch(`${server.url}/livez`)).text()
    const pings = watchPings(ping, () => runQueueMs(server.pid))
    const others = (async () => {
      while (!isOver) {
        expect(await post('{"event":"e","recipient":"r"}')).toBe(200)
        await pause(100)
      }
    })()
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const statuses = await Promise.all(Array.from({ length: 100 }, () => post(LARGE)))
        expect(new Set(statuses)).toEqual(new Set([200, 503]))
      }
      isOver = true
      await others
      const slowestPing = await pings.stop()
      const [, peakKb] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? []
      expect(Number(peakKb) / 1_024).toBeLessThan(1_000)
      inTime(() => expect(slowestPing).toBeLessThan(1_500))
    } finally {
      isOver = true
      await pings.stop()
      agent.destroy()
      server.kill('SIGKILL')
      await server.exited
    }
  },
)
