/** Replays one entry of the corpus and compares the outcome with the one that the caller expects. */
import { expect } from 'vitest'
import type { ApiCallOptions, ApiReply } from '../../support/api-client.ts'
import type { App } from '../../support/app.ts'
import type { SettableClock } from '../../support/clock.ts'
import { publish } from '../../system/templates.ts'
import { call } from '../wire/wire.ts'
import type { Call, Entry, ExpectedDelivery, Outcome } from './corpus.ts'
import type { Delivery, Sinks } from './deliveries.ts'

export interface Replayer {
  app: App
  clock: SettableClock
  sinks: Sinks
}

/** JSON of any shape. */
type Json = ReturnType<typeof JSON.parse>

export async function replay(replayer: Replayer, entry: Entry): Promise<void> {
  const { app, clock, sinks } = replayer
  if (entry.at !== undefined) clock.set(entry.at)
  const { request, expect: expected } = await prepare(replayer, entry)
  const before = new Set((await allMessages(app)).map(({ id }) => id))
  await sinks.read(app, [])
  const watch = { replayer, before, deliveries: [] }

  const answer = await send(app, request)
  expect(answer.status, answer.text).toBe(expected.status)
  if (expected.reply) expect(answer.json).toMatchObject(expected.reply)
  if (expected.run) await runEnds(app, answer.json.runId, expected.run)
  await outcomeIs(watch, expected)
  for (const { status = 200, reply, ...call } of expected.then ?? []) await holds(app, call, status, reply)
  if (expected.later) {
    clock.set(expected.later.at)
    if (expected.run) await runEnds(app, answer.json.runId, 'PROCESSED')
    await outcomeIs(watch, expected.later)
  }
}

/** Makes what the caller assumes to exist; gives the entry with the ids of what was made. */
async function prepare({ app, sinks }: Replayer, entry: Entry): Promise<Entry> {
  const { templates = {}, standsFor = {}, before = [] } = entry.needs ?? {}
  const names: [text: string, value: string][] = []
  const named = <T>(value: T): T =>
    JSON.parse(
      names.reduce((text, [name, id]) => text.replaceAll(JSON.stringify(name).slice(1, -1), id), JSON.stringify(value)),
    )

  for (const [event, { channels, title, body, elements }] of Object.entries(templates)) {
    const content = elements ? { elements } : { title: title ?? 'Hello', body: body ?? `This is ${event}.` }
    await publish(app.client, event, { ...(channels && { channels }), content: content as Json })
  }
  for (const [name, thing] of Object.entries(standsFor)) {
    if (thing === 'peer') names.push([name, sinks.peerUrl + new URL(name).pathname.replace(/\/$/, '')])
    else names.push([name, String(valueAt(await made(app, named(thing)), thing.gives))])
  }
  for (const call of named(before)) await made(app, call)
  await expect.poll(async () => (await allMessages(app)).filter(isMoving)).toEqual([])
  return named(entry)
}

const valueAt = (value: Json, path: string): Json => path.split('.').reduce((part, key) => part[key], value)

async function made(app: App, call: Call): Promise<Json> {
  const answer = await send(app, call)
  if (answer.status >= 300) throw new Error(`${call.method} ${call.path}: ${answer.status} ${answer.text}`)
  return answer.json ?? {}
}

function send(app: App, { method, path, headers, body, text, auth }: Call): Promise<ApiReply> {
  const login = auth && `Basic ${Buffer.from(`ops@shop.example:${app.apiKey}`).toString('base64')}`
  const options: ApiCallOptions = { headers: { ...headers, ...(login && { authorization: login }) } }
  return app.call(method, path, {
    ...options,
    ...(text === undefined ? body !== undefined && { body } : { body: text }),
  })
}

const isMoving = ({ status }: Json) => ['ENQUEUED', 'ROUTED'].includes(status)

async function allMessages(app: App): Promise<Json[]> {
  const messages: Json[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { json }: ApiReply = await call(app, 'GET', `/messages?archived=true&limit=100&cursor=${cursor}`)
    messages.push(...json.results)
    cursor = json.paging.more ? json.paging.cursor : undefined
  }
  return messages
}

async function runEnds(app: App, id: string, status: string): Promise<void> {
  const state = async () => (await call(app, 'GET', `/automations/runs/${id}`)).json.status
  await expect.poll(state).toBe(status)
}

async function holds(app: App, call: Call, status: number, reply: object | undefined): Promise<void> {
  const look = async () => {
    const answer = await send(app, call)
    return { status: answer.status, ...(reply && { reply: answer.json }) }
  }
  await expect.poll(look).toMatchObject({ status, ...(reply && { reply }) })
}

interface Watch {
  replayer: Replayer
  /** Messages of earlier entries. */
  before: ReadonlySet<string>
  /** Found so far. */
  deliveries: Delivery[]
}

async function outcomeIs({ replayer: { app, sinks }, before, deliveries }: Watch, expected: Outcome): Promise<void> {
  const ends = [...(expected.ends ?? [])].sort()
  let messages: Json[] = []
  const statuses = async () => {
    messages = (await allMessages(app)).filter(({ id }) => !before.has(id))
    return messages.map(({ status }) => status).sort()
  }
  await expect.poll(statuses).toEqual(ends)
  if (expected.reason) expect(messages.map(({ reason }) => reason)).toEqual(ends.map(() => expected.reason))
  const fresh = await sinks.read(
    app,
    messages.map(({ id }) => id),
  )
  const kept = deliveries.filter(({ by }) => by !== 'mailbox')
  deliveries.splice(0, deliveries.length, ...kept, ...fresh)
  compare(deliveries, expected.sent ?? [])
}

type Target = Pick<ExpectedDelivery, 'by' | 'to' | 'channel'>

/** Every delivery is expected, and every expected one was made. */
function compare(deliveries: Delivery[], expected: ExpectedDelivery[]): void {
  const key = ({ by, to = '', channel = '' }: Target) => `${by} ${to} ${channel}`
  const order = (a: Target, b: Target) => key(a).localeCompare(key(b))
  const ordered = deliveries.toSorted(order)
  const sorted = expected.toSorted(order)
  expect(ordered.map(({ by, to }) => [by, to])).toEqual(sorted.map(({ by, to }) => [by, to ?? expect.any(String)]))
  for (const [index, { channel, has = [], lacks = [], body }] of sorted.entries()) {
    const delivery = ordered[index]!
    if (channel) expect(delivery.channel).toBe(channel)
    for (const part of has) expect(delivery.text).toContain(part)
    for (const part of lacks) expect(delivery.text).not.toContain(part)
    if (body) expect(delivery.body).toMatchObject(body)
  }
}
