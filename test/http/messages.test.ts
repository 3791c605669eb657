/** Messages are found, listed page by page, read and canceled. */

import { operations } from '@postrider/contract'
import { Compile } from 'typebox/compile'
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { type HistoryEvent, keys, type MessageOutput, type RecordingApp } from '../support/recording-app.ts'
import { delivery, insertMessage, start } from '../support/rows.ts'

const output: MessageOutput = {
  channel: 'email',
  channelId: 'email',
  renderId: 'R',
  content: {
    html: '<script>1</script>',
    subject: 'Hi',
    title: 'Hi',
    text: 'ünï',
    body: '',
    blocks: [{ type: 'text', text: 'a' }],
  },
}
const history = [
  { type: 'ENQUEUED', ts: 1, event: 'e', recipient: 'r', data: {}, profile: {}, override: {} },
  { type: 'DELIVERED', ts: 2, channel: { id: 'email' }, integration: { id: 'I', provider: 'sendgrid' } },
] satisfies HistoryEvent[]

const documented = Compile(operations.find(({ id }) => id === 'messages.outputPart')?.replies[200] ?? {})

withApp((open) => {
  let api: RecordingApp
  let messageId: string
  let canceled: 'canceled' | 'too_late' | 'missing' = 'missing'

  beforeAll(async () => {
    const ours =
      <T>(value: T) =>
      async (_workspace: number, id: string) =>
        id === messageId ? value : undefined
    api = await open({
      pipeline: 'recording',
      replace: {
        pipeline: { history: ours(history), output: ours([output]), cancel: async () => canceled },
      },
    })
    const deliveries = JSON.stringify([delivery])
    const stages = { status: 'DELIVERED', sent: start + 5, delivered: start + 9, notification_id: 'N', deliveries }
    messageId = await insertMessage(api.engine, start, {
      ...stages,
      tags: ['orders'],
      idempotency_key: 'k',
      recipient: 'known',
    })
  })

  test('a message has the stages it reached and its deliveries', async () => {
    const record = {
      id: messageId,
      status: 'DELIVERED',
      recipient: 'known',
      event: 'e',
      notification: 'N',
      enqueued: start,
      sent: start + 5,
      delivered: start + 9,
      tags: ['orders'],
      idempotencyKey: 'k',
    }
    const answer = await api.call('GET', `/messages/${messageId}`)
    expect(answer.json).toEqual({
      ...record,
      providers: [
        {
          provider: 'sendgrid',
          integration: delivery.integration,
          status: 'DELIVERED',
          channel: { key: 'email', name: 'Email', template: 'email' },
          sent: start + 5,
          delivered: start + 9,
          reference: { 'x-message-id': 'abc' },
          attempts: 1,
        },
      ],
    })
    const { results } = (await api.call('GET', '/messages?recipient=known')).json
    expect(results).toEqual([record])
    const withProviders = (await api.call('GET', '/messages?recipient=known&include=providers')).json
    expect(withProviders.results).toEqual([answer.json])
    expect((await api.call('GET', '/messages?include=everything')).status).toBe(400)
  })

  test.each(['', '/history', '/output', '/explain', '/output/R/html'])(
    'an unknown message is a 404, and so is a foreign one: /messages/:id%s',
    async (rest) => {
      const notFound = { message: 'Message not found', type: 'invalid_request_error' }
      const unknown = await api.call('GET', `/messages/unknown${rest}`)
      expect([unknown.status, unknown.json]).toMatchObject([404, notFound])
      if (rest) return
      const foreign = await api.call('GET', `/messages/${messageId}`, { apiKey: keys.test })
      expect([foreign.status, foreign.json]).toMatchObject([404, notFound])
    },
  )

  test('pages of ten, newest first, unmoved by what arrives meanwhile', async () => {
    const made: string[] = []
    for (let n = 0; n < 25; n += 1)
      made.unshift(await insertMessage(api.engine, start + 1_000 + n, { recipient: 'paged' }))
    const seen: string[] = []
    const sizes: number[] = []
    let cursor = ''
    do {
      const page = (await api.call('GET', `/messages?recipient=paged&cursor=${cursor}`)).json
      await insertMessage(api.engine, start + 60_000, { recipient: 'paged' })
      seen.push(...page.results.map(({ id }: { id: string }) => id))
      sizes.push(page.results.length)
      cursor = page.paging.more ? page.paging.cursor : ''
      expect(page.paging).toEqual(cursor ? { more: true, cursor: expect.stringMatching(/^[\w-]+$/) } : { more: false })
    } while (cursor)
    expect(sizes).toEqual([10, 10, 5])
    expect(seen).toEqual(made)
  })

  test('history is filtered by type', async () => {
    expect((await api.call('GET', `/messages/${messageId}/history`)).json).toEqual({ results: history })
    expect((await api.call('GET', `/messages/${messageId}/history?type=DELIVERED`)).json.results).toEqual([history[1]])
  })

  test('rendered parts are served raw and cannot act', async () => {
    const part = (name: string) => api.call('GET', `/messages/${messageId}/output/R/${name}`)
    const html = await part('html')
    expect([html.text, html.headers.get('content-type')]).toEqual(['<script>1</script>', 'text/html; charset=utf-8'])
    expect(html.headers.get('content-security-policy')).toBe(
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    )
    expect(html.headers.get('x-content-type-options')).toBe('nosniff')
    const text = await part('text')
    expect([text.text, text.headers.get('content-type')]).toEqual(['ünï', 'text/plain; charset=utf-8'])
    const { json: blocks } = await part('blocks')
    expect(blocks).toEqual([{ type: 'text', text: 'a' }])
    expect(documented.Check(blocks)).toBe(true)
    expect((await part('body')).status).toBe(404)
    expect((await part('everything')).status).toBe(400)
    const { renderId: _renderId, channelId, ...shown } = output
    const whole = await api.call('GET', `/messages/${messageId}/output`)
    expect(whole.json).toEqual({ results: [{ ...shown, channel_id: channelId }] })
  })

  test('canceling replies with the message, with 409 when it is too late', async () => {
    canceled = 'canceled'
    const yes = await api.call('POST', `/messages/${messageId}/cancel`)
    expect([yes.status, yes.json.id]).toEqual([200, messageId])
    canceled = 'too_late'
    const late = await api.call('POST', `/messages/${messageId}/cancel`)
    expect([late.status, late.headers.get('x-should-retry')]).toEqual([409, 'false'])
    expect(late.json).toMatchObject({
      ...yes.json,
      message: 'It is too late to cancel this message',
      type: 'invalid_request_error',
    })
    canceled = 'missing'
    expect((await api.call('POST', `/messages/${messageId}/cancel`)).status).toBe(404)
  })

  test('the mailbox shows what was kept', async () => {
    const row = (n: number, workspace: number, channel: string) => ({
      text: 'insert into mailbox values ($1, $2, $3, $4, $5, $6, $7)',
      values: [`${messageId}-${n}`, workspace, messageId, channel, 'kept', start + n, JSON.stringify({ to: `${n}` })],
    })
    await api.engine.batch([row(0, 1, 'email'), row(1, 1, 'sms'), row(2, 2, 'email')])
    const { paging, results } = (await api.call('GET', '/mailbox?recipient=kept')).json
    expect(paging).toEqual({ more: false })
    expect(results).toEqual([
      {
        id: `${messageId}-1`,
        message_id: messageId,
        channel: 'sms',
        recipient: 'kept',
        received: start + 1,
        content: { to: '1' },
      },
      {
        id: `${messageId}-0`,
        message_id: messageId,
        channel: 'email',
        recipient: 'kept',
        received: start,
        content: { to: '0' },
      },
    ])
    const narrowed = (await api.call('GET', `/mailbox?channel=sms&message_id=${messageId}`)).json.results
    expect(narrowed).toEqual([results[0]])
    expect((await api.call('GET', `/mailbox/${messageId}-0`)).json).toEqual(results[1])
    expect((await api.call('GET', `/mailbox/${messageId}-2`)).status).toBe(404)
  })
})
