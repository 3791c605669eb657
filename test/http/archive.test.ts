/** Archived messages are out of the way and otherwise as they were; a message can be sent again as it was. */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'
import { insertMessage, start } from '../support/rows.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const listed = async (recipient: string, more = '') =>
    (await api.call('GET', `/messages?recipient=${recipient}${more}`)).json.results.map(({ id }: { id: string }) => id)

  const request = async (id: string) => {
    await api.engine.run({
      text: `insert into requests (id, workspace_id, kind, mode, lane, status, created, input, targets)
        values ($1, 1, 'send', 'live', 0, 'PROCESSING', $2, '{}', '[]')`,
      values: [id, start],
    })
    return id
  }

  test.each([
    ['PUT', (id: string) => `/requests/${id}/archive`],
    ['PUT', (id: string) => `/messages/${id}/output`],
  ] as const)('42: %s by message id: empty 202, then listed only with archived=true', async (method, path) => {
    const recipient = `one-${path('')}`
    const id = await insertMessage(api.engine, start, { recipient })
    const other = await insertMessage(api.engine, start, { recipient })
    const answer = await api.call(method, path(id))
    expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([202, '', '0'])
    expect(answer.headers.get('content-type')).toBeNull()
    const encoded = encodeURIComponent(recipient)
    expect(await listed(encoded)).toEqual([other])
    expect(await listed(encoded, '&archived=true')).toEqual([other, id])
    expect((await api.call('GET', `/messages/${id}`)).json.status).toBe('ENQUEUED')
    expect((await api.call(method, path(id))).status).toBe(202)
  })

  test('a request is archived with all its messages, those it makes later included', async () => {
    const id = await request('1-695afe80-000000000000000000000001')
    const [first, second] = [
      await insertMessage(api.engine, start, { recipient: 'many', request_id: id }),
      await insertMessage(api.engine, start, { recipient: 'many', request_id: id }),
    ]
    const other = await insertMessage(api.engine, start, { recipient: 'many', request_id: await request('1-x') })
    expect((await api.call('PUT', `/requests/${id}/archive`)).status).toBe(202)
    const late = await insertMessage(api.engine, start, { recipient: 'many', request_id: id })
    expect(await listed('many')).toEqual([other])
    expect(await listed('many', '&archived=true')).toEqual([late, other, second, first])
  })

  test('an unknown id or one of another environment is a 404, and the message stays where it is', async () => {
    const id = await insertMessage(api.engine, start, { recipient: 'foreign' })
    for (const path of [`/requests/${id}/archive`, `/messages/${id}/output`]) {
      const foreign = await api.call('PUT', path, { apiKey: keys.test })
      const missing = await api.call('PUT', path.replace(id, 'none'), { apiKey: keys.test })
      expect([foreign.status, foreign.text]).toEqual([404, missing.text])
    }
    expect(await listed('foreign')).toEqual([id])
  })

  test('a message is sent again with its inputs, in the mode of the calling key', async () => {
    const input = { event: 'e', recipient: 'r', data: { a: 1 }, override: { twilio: { body: { x: 1 } } } }
    const id = await insertMessage(api.engine, start, { input: JSON.stringify(input) })
    const answer = await api.call('POST', `/messages/${id}/resend`, { headers: { 'idempotency-key': 'again' } })
    expect([answer.status, answer.json]).toEqual([200, { messageId: 'm1' }])
    await api.call('POST', `/messages/${id}/resend`, { apiKey: keys.draft })
    expect(api.sends).toMatchObject([
      { workspaceId: 1, mode: 'live', input, idempotency: { key: 'again' } },
      { workspaceId: 1, mode: 'draft', input },
    ])
    const shared = { event: 'e', data: { a: 1, b: 1 } }
    await api.engine.run({
      text: 'update requests set input = $2 where id = $1',
      values: [await request('1-shared'), JSON.stringify(shared)],
    })
    const part = { recipient: 'one-of-many', data: { b: 2 } }
    const marks = { request_id: '1-shared', list_id: 'L', tenant_id: 'T', trace_id: 'X', tags: ['t'] }
    const child = await insertMessage(api.engine, start, { input: JSON.stringify(part), ...marks })
    await api.call('POST', `/messages/${child}/resend`)
    expect(api.sends[2]).toMatchObject({
      input: { event: 'e', recipient: 'one-of-many', data: { a: 1, b: 2 } },
      marks: { tags: ['t'], traceId: 'X', tenantId: 'T' },
    })
    const foreign = await api.call('POST', `/messages/${id}/resend`, { apiKey: keys.test })
    expect([foreign.status, foreign.json.message]).toEqual([404, 'Message not found'])
    expect(api.sends).toHaveLength(3)
  })
})
