/** Bounces that were not understood are listed newest first, the latest hundred, for two weeks, and masked for viewers. */
import type { UnrecognizedBouncesListReply } from '@postrider/client'
import { timedId } from '@postrider/server/internal/base/ids'
import { DAY } from '@postrider/server/internal/base/time/duration'
import { dropUnrecognizedBounces } from '@postrider/server/internal/database/tables/messages/unrecognized-bounces'
import { beforeAll, expect, test } from 'vitest'
import { mustCall } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'
import { insertMessage, insertUnrecognizedBounce } from '../support/rows.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const keep = async (messageId: string, mail: string) => {
    api.time.now += 1
    await insertUnrecognizedBounce(api.engine, api.time.now, messageId, mail)
  }
  const list = async (query = '', apiKey: string = keys.production) => {
    const { status, json } = await api.call('GET', `/unrecognized-bounces${query}`, { apiKey })
    expect(status).toBe(200)
    return json as UnrecognizedBouncesListReply
  }
  const mails = async () => (await list('?limit=100')).results.map(({ mail }) => mail)

  test('the latest hundred are kept, listed in pages, and dropped after two weeks', async () => {
    const messageId = await insertMessage(api.engine, api.time.now, { status: 'SENT', due_at: null })
    for (let count = 1; count <= 103; count += 1) await keep(messageId, `From: x\r\n\r\n${count} \xc4`)
    const all = await mails()
    expect([all.length, all[0], all.at(-1)]).toEqual([100, 'From: x\r\n\r\n103 \xc4', 'From: x\r\n\r\n4 \xc4'])
    const first = await list()
    expect([first.results.length, first.paging.more]).toEqual([10, true])
    const second = await list(`?cursor=${first.paging.cursor}`)
    expect([...first.results, ...second.results].map(({ mail }) => mail)).toEqual(all.slice(0, 20))
    expect((await list('', keys.test)).results).toEqual([])

    const start = api.time.now
    api.time.now = start + DAY
    await keep(messageId, 'a day later')
    expect(await dropUnrecognizedBounces(api.engine, start + 14 * DAY + 1)).toBe(99)
    expect(await mails()).toEqual(['a day later'])
  })

  test('nothing is kept of a message that is not stored, or whose recipient is erased', async () => {
    const erased = await insertMessage(api.engine, api.time.now, {
      ...{ status: 'SENT', due_at: null, recipient: `erased-${'0'.repeat(32)}` },
    })
    const before = await mails()
    await keep(erased, 'erased')
    await keep(timedId(api.time.now), 'unknown')
    expect(await mails()).toEqual(before)
  })

  test('a viewer sees ids and times only', async () => {
    const messageId = await insertMessage(api.engine, api.time.now, { status: 'SENT', due_at: null })
    await keep(messageId, 'From: ada@example.com')
    const { key } = await mustCall(api, 'POST', '/keys', { name: 'looks on', role: 'viewer' })
    const [bounce] = (await list('', key)).results
    expect(bounce).toEqual({ id: expect.any(String), message_id: messageId, created: api.time.now, mail: '•••' })
  })
})
