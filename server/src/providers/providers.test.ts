/** Rules for every adapter, each tried with the example of the adapter itself. */
import { readdirSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { basename } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Failure, Reply, Request } from '../base/exchange.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { isLong } from '../base/long.harness.ts'
import { type AdapterRun, replied, runWith, type Scene } from './adapter.harness.ts'
import { addressOf } from './address.ts'
import { catalogEntry, providers } from './catalog.ts'
import { DraftInvalid, type Provider } from './provider.ts'
import { checkSettings, secretKeys } from './settings.ts'

/** Cases of each property with each provider; the project `long` runs more. */
const RUNS = isLong ? 1_000 : 40
/** In a short run those with a meaning of their own, and one in ten of the others. */
const STATUSES = Array.from({ length: 500 }, (_, at) => at + 100).filter(
  (status) => isLong || status in STATUS_CODES || status % 10 === 9,
)

const content = { subject: 'Hello', title: 'Hello', html: '<p>Hi</p>', text: 'Hi', body: 'Hi' }

/** Keys that sign requests must be ones; they never leave, whatever the request. */
const signsWith = (provider: Provider, key: string): boolean =>
  /key|service account/.test(String(Reflect.get(provider.settings.properties[key] ?? {}, 'form')))

/** The example of the adapter, its secrets replaced by one that can be searched for. */
function sceneOf(provider: Provider): Scene {
  const secret = Object.fromEntries(
    secretKeys(provider)
      .filter((key) => key in provider.example.settings && !signsWith(provider, key))
      .map((key) => {
        const { form } = provider.settings.properties[key] as { form?: string }
        // A secret address is one by its signature.
        return [key, form === 'url' ? 'https://hooks.example/1?sig=SECRET-1' : 'SECRET-1']
      }),
  )
  return { profile: provider.example.profile, settings: { ...provider.example.settings, ...secret } }
}

/** A text that no error may repeat: a secret that is sent, else the token of a device. */
function canaryOf(provider: Provider): string {
  const isSent = secretKeys(provider).some((key) => key in provider.example.settings && !signsWith(provider, key))
  return isSent ? 'SECRET-1' : (provider.devices?.inProfile(provider.example.profile)[0]?.token ?? 'SECRET-1')
}

/** A part of each key that signs requests: the first line of its numbers. */
const keyMaterial = (provider: Provider): string[] =>
  secretKeys(provider)
    .filter((key) => key in provider.example.settings && signsWith(provider, key))
    .map(
      (key) =>
        /[\w+/-]{40}/.exec(String(Reflect.get(provider.example.settings, key)).replace(/-----[^-]*-----/g, ''))![0],
    )

/** Answers every request by its kind; the one that hands the message over by `answer`, where it is an HTTP request. */
function play(provider: Provider, scene: Scene, answer?: Reply): AdapterRun {
  const accepted = replied(provider.example.status ?? 200, provider.example.reply)
  return runWith(provider, { ...scene, content: { ...content, ...scene.content } }, (request, index) => {
    if (index >= 4) throw new Error(`${provider.key} makes more than four requests`)
    if (answer?.kind === 'failure') return answer
    if (request.kind === 'keep') return { kind: 'keep' }
    if (request.kind === 'mail')
      return { kind: 'mail', code: answer?.kind === 'http' ? answer.status : 250, response: 'SECRET-1' }
    return request.final && answer ? answer : accepted
  })
}

const junk = fc.jsonValue({ maxDepth: 3 })
const lines = (request: Request) => (request.kind === 'http' ? Object.entries(request.headers).flat() : [])

test('the list holds every file of a channel, and the name of a file is its key', () => {
  const folder = new URL('.', import.meta.url)
  const channelFolders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const files = channelFolders.flatMap(({ name }) => readdirSync(new URL(name, folder)))
  const keys = files.filter((file) => !file.endsWith('.test.ts')).map((file) => basename(file, '.ts'))
  expect([...providers.keys()].sort(), 'run npm run generate').toEqual(keys.sort())
})

test('every mail provider shows the name of the sender for the locale of the recipient', () => {
  const mailers = [...providers.values()].filter(({ settings }) => 'fromAddress' in settings.properties)
  expect(mailers.length).toBeGreaterThan(5)
  for (const provider of mailers) {
    const scene = sceneOf(provider)
    const settings = { ...scene.settings, fromName: 'Example', fromNames: 'de: Beispiel; fr: Exemple' }
    const nameIn = (locale: string) => {
      const { draft } = play(provider, { ...scene, settings, locale })
      return ['Beispiel', 'Exemple', 'Example'].filter((name) => JSON.stringify(draft).includes(name))
    }
    expect([nameIn('de-AT'), nameIn('fr'), nameIn('es')], provider.key).toEqual([
      ['Beispiel'],
      ['Exemple'],
      ['Example'],
    ])
  }
})

test('every mail service has the DNS records of its senders, a mail server has none', () => {
  const mailers = [...providers.values()].filter(({ settings }) => 'fromAddress' in settings.properties)
  expect(mailers.filter(({ senderRecords }) => !senderRecords).map(({ key }) => key)).toEqual(['smtp'])
})

test('a form for a mail server shows first where it is, how to sign in and who sends', () => {
  const { settings } = catalogEntry(providers.get('smtp') as Provider)
  const basic = Object.keys(settings).filter((name) => !settings[name]?.group)
  expect(basic).toEqual(['host', 'port', 'security', 'user', 'password', 'fromAddress', 'fromName'])
  expect(settings.dkimDomain).toMatchObject({ required: false, group: 'dkim' })
})

test('every adapter serves a channel and has a title and a description', () => {
  for (const { key, title, description, dialect, channels: served } of providers.values()) {
    expect([title, description, dialect], key).not.toContain('')
    expect(served.length, key).toBeGreaterThan(0)
  }
})

describe.each([...providers])('%s', (_key, provider) => {
  const scene = sceneOf(provider)
  const canary = canaryOf(provider)

  test('its settings draw their own form: flat, titled, described, closed', () => {
    expect(provider.settings).toHaveProperty('additionalProperties', false)
    for (const [name, schema] of Object.entries(provider.settings.properties)) {
      expect(schema, name).toMatchObject({ title: expect.any(String), description: expect.any(String) })
      const scalar =
        'enum' in schema || ['string', 'integer', 'number', 'boolean'].includes(String(Reflect.get(schema, 'type')))
      expect(scalar, `${name} is one value`).toBe(true)
    }
    expect(checkSettings(provider, scene.settings)).toEqual([])
    expect(checkSettings(provider, provider.example.settings)).toEqual([])
  })

  test('required settings and those of its example are basic: a form shows them first', () => {
    const { settings } = catalogEntry(provider)
    const needed = Object.keys(settings).filter((name) => settings[name]?.required || name in provider.example.settings)
    expect(needed.filter((name) => settings[name]?.group)).toEqual([])
  })

  test('the override of its example is accepted, and its secrets are given', () => {
    expect(play(provider, { ...scene, override: provider.example.override ?? {} }).outcome.kind).toBe('sent')
    for (const key of secretKeys(provider).filter((name) => provider.settings.required?.includes(name)))
      expect(provider.example.settings).toHaveProperty(key)
  })

  test('a setting that looks like a secret is marked as one, an address as a destination', () => {
    for (const [name, schema] of Object.entries(provider.settings.properties)) {
      const isPublic = /(?:id|^publicKey|^tokenUrl)$/i.test(name)
      if (/token|password|secret|key/i.test(name) && !isPublic) expect(schema, name).toMatchObject({ secret: true })
      if (/url|host|port|region|endpoint/i.test(name)) expect(schema, name).toMatchObject({ destination: true })
      if (/url$/i.test(name)) expect(schema, name).toMatchObject({ form: 'url' })
    }
  })

  test('a message is sent with at most four requests, the last one final and no other', () => {
    const { requests, outcome } = play(provider, scene)
    expect(outcome.kind).toBe('sent')
    expect(requests.map((request) => request.final)).toEqual(requests.map((_, index) => index === requests.length - 1))
  })

  test('the same message makes the same requests', () => {
    expect(play(provider, scene)).toEqual(play(provider, scene))
  })

  test('a message larger than the limits of the service is rejected before it leaves', () => {
    const { requestBytes = 0, payloadBytes = 0, characters, segments } = provider.limits ?? {}
    const inSegments = Object.values(segments ?? {}).map((count) => count * 153)
    const most = Math.max(requestBytes, payloadBytes, ...Object.values(characters ?? {}), ...inSegments)
    if (most === 0) return
    const text = 'x'.repeat(most + 1)
    const { requests, outcome } = play(provider, { ...scene, content: { html: text, text, body: text } })
    expect(outcome).toMatchObject({ kind: 'rejected', scope: 'content' })
    expect((outcome as { error: string }).error).toMatch(
      / has [\d,]+ (?:bytes|characters|segments), and .+ takes at most [\d,]+(?:: [\d,]+ characters of GSM-7, or [\d,]+ of Unicode)?$/,
    )
    expect(requests.filter(({ final }) => final)).toEqual([])
  })

  /** Replies to the request that hands the message over; a 200 that is no acceptance is in its example. */
  const timeout = (reached: boolean): Reply => ({ kind: 'failure', failure: 'timeout', message: 'late', reached })
  const retryAfter = (seconds: number) => ({ 'retry-after': String(seconds) })
  const matrix: [string, Reply, object][] = [
    ['400', replied(400), { kind: 'rejected', scope: 'content' }],
    ['401', replied(401), { kind: 'rejected', scope: 'configuration' }],
    ['404', replied(404), { kind: 'rejected' }],
    ['410', replied(410), { kind: 'rejected' }],
    ['429', replied(429), { kind: 'retry', attempted: false }],
    ['429 with Retry-After', replied(429, '', retryAfter(7)), { kind: 'retry', attempted: false, retryAfterMs: 7_000 }],
    ['500', replied(500), { kind: 'retry', attempted: true }],
    ['500 with garbage', replied(500, '<html>'), { kind: 'retry', attempted: true }],
    ['503 with Retry-After', replied(503, '', retryAfter(7)), { kind: 'retry', retryAfterMs: 7_000 }],
    ['a timeout', timeout(true), { kind: 'in_doubt' }],
    ['a timeout before the request left', timeout(false), { kind: 'retry', attempted: true }],
  ]
  const { reply: acceptance } = provider.example
  // Without a reply of its own, any 2xx is an acceptance.
  const others: [string, Reply, object][] = acceptance
    ? [
        ['200 with garbage', replied(200, '<html>'), { kind: 'in_doubt' }],
        ['200 without a body', replied(200), { kind: 'in_doubt' }],
        ['200 with other JSON', replied(200, {}), { kind: 'in_doubt' }],
      ]
    : []
  const rejections = (provider.example.rejections ?? []).map(({ reply, outcome }): [string, Reply, object] => [
    `200 with ${JSON.stringify(reply).slice(0, 60)}`,
    replied(200, reply),
    outcome,
  ])
  const isHttp = play(provider, scene).requests.at(-1)?.kind === 'http'
  test.each(isHttp ? [...matrix, ...others, ...rejections] : [])('%s', (_title, reply, outcome) => {
    const accepted = replied(provider.example.status ?? 200, provider.example.reply)
    const message = { ...scene, content }
    expect(runWith(provider, message, ({ final }) => (final ? reply : accepted)).outcome).toMatchObject(outcome)
  })

  test('no secret is in the draft, and no key that signs in a request', () => {
    const { draft, requests } = play(provider, scene)
    expect(JSON.stringify(draft)).not.toContain('SECRET')
    for (const part of keyMaterial(provider)) expect(JSON.stringify({ draft, requests })).not.toContain(part)
  })

  test('every status ends in an outcome whose error is one line, bounded, without a secret', () => {
    for (const status of STATUSES) {
      for (const body of [
        { message: `${canary}\n`, reason: canary, error: canary, errors: [{ message: canary }] },
        `${canary}${'x\r\n'.repeat(900)}`,
        '',
      ]) {
        const { outcome } = play(provider, scene, replied(status, body))
        if (outcome.kind === 'sent') continue
        expect(outcome.error).not.toMatch(/[\r\n]/)
        expect(outcome.error).not.toContain(canary)
        expect(outcome.error.length).toBeGreaterThan(0)
        expect(outcome.error.length).toBeLessThanOrEqual(500)
      }
    }
  })

  test.each<Failure['failure']>([
    'address_refused',
    'dns',
    'connect',
    'tls',
    'unencrypted',
    'timeout',
    'reset',
    'too_large',
    'invalid_request',
    'aborted',
  ])('the failure %s is never taken for success', (failure) => {
    for (const reached of [true, false]) {
      const { outcome } = play(provider, scene, { kind: 'failure', failure, message: 'SECRET-1', reached })
      expect(outcome.kind).not.toBe('sent')
      if (secretKeys(provider).length > 0 && canary === 'SECRET-1')
        expect(JSON.stringify(outcome)).not.toContain('SECRET')
      if (!reached) expect(outcome.kind).not.toBe('in_doubt')
    }
  })

  test('no override breaks it, nor puts a line break into a header', () => {
    const { draft } = play(provider, scene)
    const names = [
      ...new Set(
        Object.entries(draft).flatMap(([name, value]) => [name, ...(isObject(value) ? Object.keys(value) : [])]),
      ),
    ]
    const piece = fc.oneof(junk, fc.constantFrom('a\r\nX-Evil: 1', 'a@b.co\r\nRCPT TO:<e@x.co>', '', null))
    const change = fc.dictionary(fc.constantFrom(...names, 'url', 'headers', 'cc'), piece)
    fc.assert(
      fc.property(change, fc.boolean(), (body, nested) => {
        const { requests, outcome } = play(provider, { ...scene, override: nested ? { body } : (body as JsonObject) })
        expect(['sent', 'rejected', 'in_doubt']).toContain(outcome.kind)
        for (const line of requests.flatMap(lines)) expect(line).not.toMatch(/[\r\n\0]/)
      }),
      { numRuns: RUNS },
    )
  })

  test('no profile and no email option breaks it', () => {
    const profile = fc.dictionary(fc.constantFrom(...provider.profileKeys, 'email', 'slackToken', 'slackChannel'), junk)
    const about = { recipient: 'ada', channel: provider.channels[0] ?? 'email' } as const
    const email = fc.dictionary(fc.constantFrom('from', 'replyTo', 'cc', 'bcc', 'headers', 'attachments'), junk)
    fc.assert(
      fc.property(profile, email, (change, options) => {
        if (provider.contact({ ...scene.profile, ...change }, scene.settings, about) === undefined) return
        const changed = { ...scene, profile: { ...scene.profile, ...change }, email: options }
        try {
          play(provider, changed)
        } catch (error) {
          expect(error).toBeInstanceOf(DraftInvalid)
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('without its secrets it makes no request, or one without them', () => {
    const bare = Object.fromEntries(
      Object.entries(scene.settings).filter(([name]) => !secretKeys(provider).includes(name)),
    )
    const { requests } = play(provider, { ...scene, settings: bare })
    expect(JSON.stringify(requests)).not.toContain('SECRET')
  })

  test('no config of an override takes a stored secret to another destination', () => {
    for (const [name, schema] of Object.entries(provider.settings.properties)) {
      if (Reflect.get(schema, 'destination') !== true) continue
      for (const value of ['https://evil.example', 'evil.example', 'opportunistic', 25]) {
        const { requests } = play(provider, { ...scene, override: { config: { [name]: value } } })
        expect(JSON.stringify(requests)).not.toContain('SECRET')
      }
    }
  })
})

test('suppressed addresses are found in the contact of every provider of mail, text messages and pushes', () => {
  const person = { email: 'ada@example.com', phone_number: '+12025550143' }
  const kinds = { email: 'email', sms: 'phone_number', push: 'device_token' } as const
  const unknown = [...providers.values()].flatMap(({ key, channels, contact, example, capabilities }) =>
    channels.flatMap((channel) => {
      const kind = channel in kinds ? kinds[channel as keyof typeof kinds] : undefined
      // The sandbox shows no tokens.
      if (!kind || (channel === 'push' && capabilities.sandbox)) return []
      const profile = {
        ...person,
        target_arn: 'arn:aws:sns:eu-central-1:123456789012:endpoint/APNS/app/5e3e9847',
        ...example.profile,
      }
      const to = contact(profile, example.settings as never, { recipient: 'ada', channel })
      return addressOf(channel, to)?.kind === kind ? [] : [`${key} ${channel}: ${JSON.stringify(to)}`]
    }),
  )
  expect(unknown).toEqual([])
})
