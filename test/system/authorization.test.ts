/** In every operation of the contract, an id of another environment in the path or the body is a missing one. */
import {
  finalStatuses,
  type MessageDetail,
  type Method,
  type Operation,
  operationById,
  operations,
  resourceOf,
} from '@postrider/contract'
import { beforeAll, expect, test } from 'vitest'
import type { ApiCaller, ApiReply } from '../support/api-client.ts'
import { type App, withApp } from '../support/app.ts'
import { type Fixture, fixtureOf, fixtures, makeOne, namesOf, pathWith, placeOf } from '../support/fixtures.ts'
import { until } from '../support/until.ts'
import { idFields, unknownFields } from './id-fields.ts'

type Params = Record<string, string>

/**
 * A write to an id of the other environment creates a thing of that name, which hides a leak: reads come before writes.
 */
const methods: readonly Method[] = ['GET', 'DELETE', 'PATCH', 'POST', 'PUT']

/** Every operation with each id in its path; what has a few values only is no id. */
const paths = operations
  .toSorted((left, right) => methods.indexOf(left.method) - methods.indexOf(right.method))
  // No call makes a dead letter: test/http/dead-letters.test.ts tries those of the other environment.
  .filter(({ id }) => !id.startsWith('deadLetters.'))
  .flatMap((operation) =>
    namesOf(operation)
      .filter((name) => !('choice' in fixtureOf(operation, name)))
      .map((name) => [`${operation.id}: ${name}`, operation, name] as const),
  )
/** Not of the process, and no figures, whose window moves with the clock. */
const isStill = (id: string) =>
  !id.startsWith('service.') && !id.startsWith('system.') && id !== 'metrics.summary' && id !== 'providers.health'
const reads = operations.filter(
  ({ id, method, access, query }) => method === 'GET' && access !== 'open' && isStill(id) && !query?.required?.length,
)

const MISSING = '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5'

const ended = (client: ApiCaller, id: string) =>
  until(
    () => client.call('GET', `/messages/${id}`),
    ({ json }) => finalStatuses.has(json.status),
  )

/** The outcome of the messages of a send; nothing of any other call. */
async function endOf(client: ApiCaller, answer: { messageId?: string; requestId?: string }): Promise<string[]> {
  const id = answer.messageId ?? answer.requestId
  if (id === undefined) return []
  await until(
    () => client.call('GET', `/requests/${id}`),
    ({ json }) => json.status === 'COMPLETED',
  )
  if ((await client.call('GET', `/messages/${id}`)).status === 200)
    return [(await ended(client, id)).text, (await client.call('GET', `/messages/${id}/output`)).text]
  const all = await until(
    () => client.call('GET', `/messages?traceId=${id}`),
    ({ json }) => json.results.every(({ status }: MessageDetail) => finalStatuses.has(status)),
  )
  return all.json.results.map(({ id: _id, ...message }: MessageDetail) => JSON.stringify(message))
}

/** A message with every resource that the API has of a message. */
const settled: Fixture = async (client, mark) => {
  const body = { event: 'welcome', recipient: mark, profile: { email: `${mark}@example.com` } }
  const { messageId } = (await client.call('POST', '/send', { body })).json
  await ended(client, messageId)
  return messageId
}

/** One of everything that paths and bodies name, made when it is first needed. */
class Belongings {
  readonly #made = new Map<string, string>()
  readonly client: ApiCaller
  readonly #mark: string

  constructor(client: ApiCaller, mark: string) {
    this.client = client
    this.#mark = mark
  }

  async idOf(place: string, before: Params = {}): Promise<string> {
    const fixture = place === 'message_id' ? settled : fixtures[place]
    if (!fixture) throw new Error(`There is no ${place} in test/support/fixtures.ts`)
    const made = this.#made.get(place) ?? (await makeOne(fixture, this.client, this.#mark, before))
    this.#made.set(place, made)
    return made
  }

  async params(operation: Operation): Promise<Params> {
    const params: Params = {}
    for (const name of namesOf(operation)) {
      const place = placeOf(operation, name)
      params[name] = await this.idOf(place in fixtures ? place : name, params)
    }
    return params
  }
}

/** Replaces times and new ids, which differ in every reply, and the id of the request. */
function likeness({ status, text, headers }: ApiReply, id: string) {
  const comparedHeaders = [...headers]
    .filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name))
    .map(([name, value]) => [name, withoutSuggestion(value.replaceAll(id, '<id>'))])
  return { status, headers: comparedHeaders, text: withoutNewIds(text.replaceAll(id, '<id>')) }
}

/** A warning may name what the caller itself has, if that is like the id; a name of another environment stays and is seen. */
const withoutSuggestion = (warnings: string) => warnings.replaceAll(/ Did you mean `theirs\b[^`]*`\?/g, '')

const withoutNewIds = (text: string) =>
  text
    .replaceAll(/1-[0-9a-f]{8}-[0-9a-f]{24}/g, '<new id>')
    .replaceAll(/\b[0-9A-Z]{28}\b/g, '<new id>')
    .replaceAll(/\b1[0-9]{12}\b/g, '<time>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')

test('every field of a body that looks like an id or a name is classified', () => expect(unknownFields()).toEqual([]))

withApp((open) => {
  let app: App
  let ours: Belongings
  let theirs: Belongings

  beforeAll(async () => {
    app = await open()
    const { apiKey } = await app.key('published', 'test')
    ours = new Belongings({ call: (...call) => app.call(...call) }, 'ours')
    theirs = new Belongings(
      { call: (method, path, options) => app.call(method, path, { ...options, apiKey }) },
      'theirs',
    )
    for (const operation of operations) await ours.params(operation)
    for (const operation of operations) await theirs.params(operation)
    // A database, and one of everything for two: a minute on a busy machine.
  }, 180_000)

  /** Replies to the owner by id and in lists; of one resource, or of all. */
  async function ownersView(resource?: string): Promise<string[]> {
    const texts: string[] = []
    for (const operation of reads) {
      if (resource !== undefined && resourceOf(operation.id) !== resource) continue
      const answer = await ours.client.call('GET', pathWith(operation.path, await ours.params(operation)))
      expect([operation.id, answer.status]).toEqual([operation.id, 200])
      texts.push(`${operation.id} ${answer.text}`)
    }
    return texts
  }

  let asItWas: string[]

  test('every read of the owner succeeds', async () => {
    asItWas = await ownersView()
    expect(asItWas.length).toBeGreaterThanOrEqual(20)
  })

  test('no list of another environment shows anything of the owner', async () => {
    const lists = reads.filter(({ params, produces }) => !params && !produces)
    expect(lists.length).toBeGreaterThan(5)
    for (const { path } of lists) {
      const answer = await theirs.client.call('GET', path)
      expect(answer.status).toBe(200)
      for (const place of Object.keys(fixtures)) {
        const fixture = fixtures[place]
        if (fixture && !('choice' in fixture)) expect(answer.text).not.toContain(await ours.idOf(place))
      }
      expect(answer.text).not.toContain('ours-alias')
    }
  })

  const fields = idFields.map((each) => [`${each.operation}: ${each.field} as ${each.place}`, each] as const)

  test.each(fields)(
    '%s of another environment leads to nothing, like a missing one',
    async (_title, { operation, place, at, body }) => {
      const { method, path } = operationById[operation]
      const params = { ...(await theirs.params(operationById[operation])), ...at }
      const call = async (id: string) => {
        const answer = (await theirs.client.call(method, pathWith(path, params), { body: body(id) })) as ApiReply
        // The outcome shows more than the status of the call.
        const became = await endOf(theirs.client, answer.json ?? {})
        // The order of messages of one millisecond is not defined.
        return {
          ...likeness(answer, id),
          became: became.map((text) => withoutNewIds(text.replaceAll(id, '<id>'))).sort(),
        }
      }
      const missing = await call(MISSING)
      expect(await call(await ours.idOf(place))).toEqual(missing)
      const replyToExisting = await call(await theirs.idOf(place))
      expect(replyToExisting.status).toBeLessThan(300)
    },
  )

  test.each(paths)(
    '%s of another environment is answered like a missing one, and stays as it is',
    async (_title, operation, name) => {
      const { method, path, body, example } = operation
      const params = await theirs.params(operation)
      const foreign = (await ours.params(operation))[name] ?? ''
      const content = body && example?.body !== undefined ? { body: example.body } : {}
      const call = async (id: string) => {
        const answer = await theirs.client.call(method, pathWith(path, { ...params, [name]: id }), content)
        return likeness(answer as ApiReply, id)
      }
      const missing = await call(MISSING)
      expect(await call(foreign)).toEqual(missing)
      expect(missing.status).toBeLessThan(500)
    },
  )

  test('after all of that, everything of its owner is as it was', async () => {
    expect(await ownersView()).toEqual(asItWas)
  })
})
