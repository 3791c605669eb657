/** Each filter of the message list, in every style clients write it. */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'
import { delivery, insertMessage, start } from '../support/rows.ts'

withApp((open) => {
  let api: RecordingApp
  let full: string
  let two: string
  const later = start + 120_000

  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
    full = await insertMessage(api.engine, later, {
      event: 'a,b%c',
      recipient: 'f',
      status: 'OPENED',
      notification_id: 'F',
      tags: ['x', 'y'],
      list_id: 'L',
      tenant_id: 'T',
      request_id: 'Q',
      deliveries: JSON.stringify([{ ...delivery, provider: 'mail_gun' }]),
    })
    await api.engine.run({ text: `insert into providers_used (workspace_id, provider) values (1, 'mail_gun')` })
    two = await insertMessage(api.engine, later + 1, { recipient: 'f', status: 'SENT', tags: ['z'], trace_id: 'Q' })
    await insertMessage(api.engine, later + 2, { recipient: 'f', archived: true })
    await insertMessage(api.engine, later + 3, { recipient: 'f', workspace_id: 2 })
  })

  const ids = async (query: string, key = keys.production): Promise<string[]> => {
    const answer = await api.call('GET', `/messages?${query}`, { apiKey: key })
    expect(answer.json.message ?? answer.status).toBe(200)
    return answer.json.results.map(({ id }: { id: string }) => id)
  }

  test.each([
    ['cursor=undefined&status=undefined&event=null&provider='],
    ['status=OPENED&status=SENT'],
    ['except_reason=UNSUBSCRIBED&except_reason=OPT_IN_REQUIRED'],
    ['status[]=OPENED&status[]=SENT'],
    ['status%5B%5D=OPENED&status%5B%5D=SENT'],
    ['status=OPENED,SENT'],
    ['status=OPENED%2CSENT'],
    ['status=OPENED%252CSENT'],
    ['tag=x&tag=z'],
    ['tags=x,z'],
    ['traceId=Q'],
    [`enqueued_after=${later - 1}`],
    [`enqueued_after=${new Date(later - 1).toISOString()}`],
  ])('%s: both', async (query) => {
    expect(await ids(`recipient=f&${query}`)).toEqual([two, full])
  })

  test('an address of a thousand users finds their messages, and one of more is refused', async () => {
    for (const count of [1_000, 1_001])
      await api.engine.run({
        text: `insert into profiles (workspace_id, id, profile, version, created, updated)
          select 1, 'e-${count}-' || n, jsonb_build_object('email', 'everyone-${count}@example.com'), 1, 0, 0
          from generate_series(1, ${count}) n`,
      })
    const made = await insertMessage(api.engine, later + 30, { recipient: 'e-1000-1000' })
    expect(await ids('address=everyone-1000@example.com')).toEqual([made])
    const refused = await api.call('GET', '/messages?address=everyone-1001@example.com')
    expect(refused).toMatchObject({ status: 400, json: { param: 'address' } })
  })

  test('a frequent tag lists the newest messages, a rare one all', async () => {
    const tagged = (n: number) => ({ recipient: 'tagged', tags: n % 500 === 0 ? ['often', 'seldom'] : ['often'] })
    const made: string[] = []
    for (let from = 0; from < 1_050; from += 50)
      made.push(
        ...(await Promise.all(
          Array.from({ length: 50 }, (_, n) => insertMessage(api.engine, later + 10 + from + n, tagged(from + n))),
        )),
      )
    const newest = made.toReversed()
    expect(await ids('tags=often')).toEqual(newest.slice(0, 10))
    expect(await ids('tags=seldom')).toEqual([made[1_000], made[500], made[0]])
    expect(await ids('tags=seldom,nobodys')).toEqual([made[1_000], made[500], made[0]])
    expect(await ids('tags=nobodys')).toEqual([])
  })

  test.each([
    ['status=OPENED'],
    ['event=a%2Cb%25c'],
    ['event=a%252Cb%2525c'],
    ['notification=F'],
    ['tag=y'],
    ['list=L'],
    ['tenant_id=T'],
    ['provider=mail_gun'],
    ['provider=twilio&provider=mail_gun'],
    ['messageId=Q'],
  ])('%s: the first', async (query) => {
    expect(await ids(`recipient=f&${query}`)).toEqual([full])
  })

  test('a message that waits for its decision is found by the notification that it shows', async () => {
    const { engine } = api
    const texts = [
      `insert into notifications (workspace_id, id, alias, draft_version, created, updated, creator, updater) values (1, 'N', 'n-alias', 1, 0, 0, '', ''), (1, 'M', null, 1, 0, 0, '', '')`,
      `insert into events (workspace_id, event, notification_id, updated) values (1, 'order-paid', 'N', 0), (1, 'n-other', 'M', 0)`,
    ]
    await engine.batch(texts.map((text) => ({ text })))
    const waiting = { recipient: 'w', status: 'ENQUEUED', notification_id: null }
    const at = later + 5_000
    const events = ['order-paid', 'N', 'n-alias', 'n-other', 'n-unknown']
    const made: string[] = []
    for (const [n, event] of events.entries()) made.push(await insertMessage(engine, at + n, { ...waiting, event }))
    const decided = await insertMessage(engine, at + 10, {
      ...waiting,
      status: 'SENT',
      notification_id: 'N',
      event: 'x',
    })
    const unmapped = { ...waiting, status: 'UNMAPPED', event: 'order-paid' }
    await insertMessage(engine, at + 11, unmapped)
    const [paid, byId, byAlias, other] = made
    expect(await ids('notification=N')).toEqual([decided, byAlias, byId, paid])
    expect(await ids('notification=M')).toEqual([other])
    const first = await api.call('GET', '/messages?notification=N&limit=2')
    const second = await api.call('GET', `/messages?notification=N&limit=2&cursor=${first.json.paging.cursor}`)
    const shown = [...first.json.results, ...second.json.results]
    expect(shown.map(({ id }: { id: string }) => id)).toEqual([decided, byAlias, byId, paid])
    expect(new Set(shown.map(({ notification }: { notification: string }) => notification))).toEqual(new Set(['N']))
    expect(await ids('notification=N&status=ENQUEUED')).toEqual([byAlias, byId, paid])
  })

  test.each([
    ['provider=mail-gun'],
    ['provider=%25'],
    ['provider=mail'],
    ['tag=w'],
    ['list=X'],
    [`enqueued_after=${later + 1}`],
  ])('%s: none', async (query) => {
    expect(await ids(`recipient=f&${query}`)).toEqual([])
  })

  test('retrying messages wait for another attempt: the delivery whose attempt comes first is named', async () => {
    const due = { recipient: 'retried', status: 'ROUTED', due_at: later + 60_000 }
    const waiting = { ...delivery, state: 'waiting', error: 'connect: refused', attempts: 2, nextAt: later + 90_000 }
    const ahead = { ...waiting, n: 1, integration: 'J', error: 'is open', nextAt: later + 60_000 }
    const made = await insertMessage(api.engine, later + 20, { ...due, deliveries: JSON.stringify([waiting, ahead]) })
    // It is tried for the first time, it quotes the mark in an error, it has ended.
    const quoting = JSON.stringify([{ ...delivery, state: 'failed', error: 'no "nextAt":1' }])
    await insertMessage(api.engine, later + 21, due)
    await insertMessage(api.engine, later + 22, { ...due, deliveries: quoting })
    await insertMessage(api.engine, later + 23, { ...due, due_at: null, status: 'UNDELIVERABLE' })
    expect(await ids('recipient=retried')).toHaveLength(4)
    expect(await ids('recipient=retried&retrying=false')).toHaveLength(4)
    expect(await ids('recipient=retried&retrying=true')).toEqual([made])
    const retry = { ...{ channel: 'email', provider: 'sendgrid', integration: 'J' }, attempts: 2, error: 'is open' }
    const list = await api.call('GET', '/messages?retrying=true&include=providers')
    expect(list.json.results).toMatchObject([{ id: made, retry: { ...retry, next_attempt_at: later + 60_000 } }])
    expect((await api.call('GET', `/messages/${made}`)).json.retry).toEqual(list.json.results[0].retry)
  })

  test('archived messages are shown with `archived=true`, those of another environment never', async () => {
    expect(await ids('recipient=f&archived=true')).toHaveLength(3)
    expect(await ids('recipient=f', keys.test)).toHaveLength(1)
  })
})
