/** A mail is answered with 250 after its receipts are on disk, and with 451 while they cannot be. */
import nodemailer from 'nodemailer'
import { expect, test } from 'vitest'
import { createLog, type Log } from '../base/log.ts'
import { createMetrics } from '../base/metrics.ts'
import { secretKey } from '../base/secret.ts'
import { DatabaseUnavailable, type Engine } from '../database/engine.ts'
import { bounceAddress } from './bounce-address.ts'
import { listenLmtp } from './lmtp.ts'

const key = secretKey(Buffer.alloc(32, 7))
const mail = {
  workspaceId: 1,
  deliveryId: '1-691f0000-00a1b2c3d4e5f60718293aff-0',
  addressee: 'ada@example.com',
  ofCopies: false,
}
const to = bounceAddress(key, 'bounces@example.org', mail)
const raw = [
  'From: <MAILER-DAEMON@example.net>',
  `To: ${to}`,
  'Content-Type: multipart/report; boundary=b',
  '',
  '--b',
  'Content-Type: message/delivery-status',
  '',
  'Final-Recipient: rfc822; ada@example.com',
  'Action: failed',
  'Status: 5.1.1',
  '',
  '--b--',
].join('\r\n')

test('the answer waits for the commit', async () => {
  const written: string[] = []
  let isAway = true
  const batch: Engine['batch'] = async ([statement]) => {
    await new Promise((resolve) => setImmediate(resolve))
    if (isAway) throw new DatabaseUnavailable('gone', { reason: 'unreachable' })
    written.push(String(statement?.values?.[0]))
    return []
  }
  let woken = 0
  const ignored: unknown[] = []
  const log = { ...createLog('silent'), info: (fields: object) => ignored.push(fields) } as unknown as Log
  const listener = await listenLmtp({
    ...{ host: '127.0.0.1', port: 0, engine: { batch } as Engine, secretKey: key, log },
    ...{ metrics: createMetrics(), clock: { now: () => Date.UTC(2026, 10, 23) }, wake: () => (woken += 1) },
  })
  const peer = nodemailer.createTransport({
    lmtp: true,
    host: '127.0.0.1',
    port: listener.port,
    ignoreTLS: true,
  } as never)
  const send = (text: string) => peer.sendMail({ envelope: { from: '', to: [to] }, raw: text })
  try {
    expect((await send(raw)).rejectedErrors).toMatchObject([{ response: '451 4.3.0 Try again later' }])
    expect([written.length, woken]).toEqual([0, 0])
    isAway = false
    await send(raw)
    expect([written.length, woken]).toEqual([1, 1])
    const receipt = { kind: 'bounced', gone: 'hard_bounce', address: 'ada@example.com' }
    expect(JSON.parse(JSON.parse(written[0] ?? '')[0].receipt)).toMatchObject(receipt)
    // Larger than what is kept of it, and with a line of only dots.
    await send(`${raw}\r\n.\r\n${`${'x'.repeat(998)}\r\n`.repeat(1_000)}`)
    expect(written).toHaveLength(2)
    ignored.length = 0
    await send(raw.replace('failed', 'expanded').replace('5.1.1', '2.0.0'))
    expect(ignored).toEqual([{ event: 'mail.ignored', reason: 'no_result' }])
    expect(written).toHaveLength(2)
  } finally {
    await listener.close()
  }
})
