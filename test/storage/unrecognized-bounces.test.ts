/** Bounces that were not understood are listed newest first, the latest hundred of a workspace, for two weeks, for those who may see everything. */
import type { UnrecognizedBouncesListReply } from '@postrider/client'
import { timedId } from '@postrider/server/internal/base/ids'
import { DAY } from '@postrider/server/internal/base/time/duration'
import {
  dropUnrecognizedBounces,
  isKeepable,
} from '@postrider/server/internal/database/tables/messages/unrecognized-bounces'
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

  const newMessage = (row: object = {}) =>
    insertMessage(api.engine, api.time.now, { status: 'SENT', due_at: null, ...row })

  test('the latest hundred of a workspace are kept, listed in pages, and dropped after two weeks', async () => {
    const elsewhere = await newMessage({ workspace_id: 2 })
    await insertUnrecognizedBounce(api.engine, api.time.now, elsewhere, 'of the test environment', { workspaceId: 2 })
    for (let count = 1; count <= 103; count += 1) await keep(await newMessage(), `From: x\r\n\r\n${count} \xc4`)
    const all = await mails()
    expect([all.length, all[0], all.at(-1)]).toEqual([100, 'From: x\r\n\r\n103 \xc4', 'From: x\r\n\r\n4 \xc4'])
    const first = await list()
    expect([first.results.length, first.paging.more]).toEqual([10, true])
    const second = await list(`?cursor=${first.paging.cursor}`)
    expect([...first.results, ...second.results].map(({ mail }) => mail)).toEqual(all.slice(0, 20))
    expect((await list('', keys.test)).results).toMatchObject([{ mail: 'of the test environment' }])

    const start = api.time.now
    api.time.now = start + DAY
    await keep(await newMessage(), 'a day later')
    expect(await dropUnrecognizedBounces(api.engine, start + 14 * DAY + 1)).toBe(100)
    expect(await mails()).toEqual(['a day later'])
  })

  test('three of one message are kept, and one that comes again is not', async () => {
    const before = await mails()
    const [loop, other] = [await newMessage(), await newMessage()]
    for (const mail of ['first', 'first', 'second', 'first', 'third', 'fourth']) await keep(loop, mail)
    await keep(other, 'first')
    expect(await mails()).toEqual(['first', 'third', 'second', 'first', ...before])
  })

  test('nothing is kept of a message that is not stored, or whose recipient is erased', async () => {
    const erased = await newMessage({ recipient: `erased-${'0'.repeat(32)}` })
    const before = await mails()
    await keep(erased, 'erased')
    await keep(timedId(api.time.now), 'unknown')
    expect(await mails()).toEqual(before)
    const keepable = (message_id: string) => isKeepable(api.engine, { workspace_id: 1, message_id })
    expect([await keepable(erased), await keepable(timedId(api.time.now))]).toEqual([false, false])
    expect(await keepable(await newMessage())).toBe(true)
  })

  test('a key of another role, and a draft or mock key, is refused', async () => {
    const codeFor = async (key: object) => {
      const { key: apiKey } = await mustCall(api, 'POST', '/keys', { name: 'looks on', ...key })
      const { status, json } = await api.call('GET', '/unrecognized-bounces', { apiKey })
      return [status, json.code]
    }
    for (const role of ['editor', 'reader', 'viewer']) expect(await codeFor({ role })).toEqual([403, 'role_required'])
    for (const kind of ['draft', 'mock']) expect(await codeFor({ kind })).toEqual([403, 'published_key_required'])
  })
})
