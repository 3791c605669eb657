/** Stored secrets go to the address of the integration and to no other. */
import fc from 'fast-check'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { isLong } from '../base/long.harness.ts'
import { providers } from './catalog.ts'
import { Address, applyConfig, BaseUrl, checkSettings, Secret, secretKeys, splitSecrets, Url } from './settings.ts'

const provider = {
  settings: Type.Object(
    {
      apiKey: Secret('API key', 'A key'),
      password: Type.Optional(Secret('Password', 'A password')),
      sender: Type.Optional(Type.String({ title: 'Sender', description: 'Shown', maxLength: 20 })),
      region: Type.Optional(Type.Enum(['eu', 'us'], { title: 'Region', description: 'Where', destination: true })),
      baseUrl: BaseUrl('https://api.example.com'),
    },
    { additionalProperties: false },
  ),
}
const storedSettings = { apiKey: 'stored-key', password: 'stored-password', sender: 'Ada', region: 'eu' }

test('secrets are separated from settings that may be shown', () => {
  expect(secretKeys(provider)).toEqual(['apiKey', 'password'])
  expect(splitSecrets(provider, storedSettings)).toEqual({
    settings: { sender: 'Ada', region: 'eu' },
    secrets: { apiKey: 'stored-key', password: 'stored-password' },
  })
})

test('errors name the key and never the value', () => {
  const issues = checkSettings(provider, {
    password: 7,
    sender: 'x'.repeat(30),
    region: 'moon',
    baseUrl: 'ftp://x',
    typo: 1,
  })
  expect(issues).toEqual(
    expect.arrayContaining([
      'apiKey is required',
      'Unknown field `typo`',
      'password must be a string',
      'region must be one of `eu`, `us`',
    ]),
  )
  expect(issues).toHaveLength(6)
  expect(issues.join()).not.toMatch(/xxx|moon|ftp/)
  expect(checkSettings(provider, storedSettings)).toEqual([])
  expect(checkSettings(provider, 'text')).toEqual(['settings must be an object'])
})

const reachable = {
  settings: Type.Object({
    url: Type.Optional(Url('URL', 'Where')),
    baseUrl: BaseUrl('https://api.example.com'),
    sender: Type.Optional(Address('Sender', 'Who')),
    reply: Type.Optional(Address('Reply', 'Whom')),
  }),
  settingsError: ({ sender, reply }: Record<string, unknown>) =>
    sender && sender === reply ? 'reply: must not be the sender' : undefined,
}

test.each(['http://user:pw@ours.example/hook', 'https://user@ours.example', 'HTTPS://:pw@ours.example'])(
  'a login in the URL %s is refused in every setting that is a URL',
  (address) => {
    const error = 'a user and password do not belong in a URL, where they would be shown'
    for (const key of ['url', 'baseUrl'])
      expect(checkSettings(reachable, { [key]: address })).toEqual([`${key}: ${error}`])
    const { settings } = reachable
    const authentication = Type.Optional(Type.String())
    const signing = { settings: Type.Object({ ...settings.properties, authentication }) }
    expect(checkSettings(signing, { url: address })).toEqual([`url: ${error}; use authentication`])
  },
)

test('an invalid URL or mail address has one plain error', () => {
  for (const url of ['', 'ftp://x.example', 'ours.example', 'https:ours.example', 'http://', 'javascript:x'])
    expect(checkSettings(reachable, { url }), url).toEqual(['url must be an http or https URL'])
  expect(checkSettings(reachable, { baseUrl: 'https://x.example?a=1' })).toEqual([
    'baseUrl must be an http or https URL without a query',
  ])
  for (const sender of ['', 'no-address', 'a b@c.example', 'jürgen@b.example', 'Ada <a@b.example>', 'a@b.co, c@d.co'])
    expect(checkSettings(reachable, { sender }), sender).toEqual(['sender must be one mail address, without a name'])
  expect(checkSettings(reachable, { url: 'https://x.example/a?b#c', sender: 'a@bücher.example' })).toEqual([])
})

test('settings that cannot work together are an error when stored and when an override changes them', () => {
  const fine = { sender: 'a@b.example', reply: 'c@d.example' }
  expect(checkSettings(reachable, fine)).toEqual([])
  expect(checkSettings(reachable, { ...fine, reply: fine.sender })).toEqual(['reply: must not be the sender'])
  expect(applyConfig(reachable, fine, { reply: fine.sender }).issues).toEqual(['reply: must not be the sender'])
})

test('without a config the settings stay as they are', () => {
  expect(applyConfig(provider, storedSettings, undefined)).toEqual({
    settings: storedSettings,
    issues: [],
    moved: false,
    withheld: [],
  })
})

test('a config that leaves the destination alone keeps the stored secrets', () => {
  const { settings, issues } = applyConfig(provider, storedSettings, { sender: 'Bea' })
  expect(settings).toEqual({ ...storedSettings, sender: 'Bea' })
  expect(issues).toEqual([])
})

test('naming the destination that already holds changes nothing', () => {
  expect(applyConfig(provider, storedSettings, { region: 'eu' }).settings).toEqual(storedSettings)
  const { settings } = applyConfig(provider, storedSettings, { baseUrl: 'https://api.example.com' })
  expect(settings).toMatchObject({ apiKey: 'stored-key' })
})

test.each([
  [{ baseUrl: 'https://evil.example' }],
  [{ baseUrl: 'https://API.example.com.evil.example' }],
  [{ baseUrl: null }],
  [{ baseUrl: '' }],
  [{ baseUrl: ['https://evil.example'] }],
  [{ baseUrl: { href: 'https://evil.example' } }],
  [{ region: 'us' }],
  [{ region: null }],
])('%j drops every stored secret', (config) => {
  const { settings, issues } = applyConfig(provider, storedSettings, config)
  expect(JSON.stringify(settings)).not.toContain('stored-')
  expect(settings).toMatchObject({ sender: 'Ada' })
  expect(issues).toContain('apiKey is required')
})

test('only the secrets of the same override go to a new destination', () => {
  const config = { baseUrl: 'https://mine.example', apiKey: 'own-key' }
  const { settings, issues, withheld } = applyConfig(provider, storedSettings, config)
  expect(settings).toEqual({ sender: 'Ada', region: 'eu', baseUrl: 'https://mine.example', apiKey: 'own-key' })
  expect(issues).toEqual([])
  expect(withheld).toEqual(['password'])
})

test('a config cannot hide a destination in a prototype', () => {
  const config = JSON.parse('{"__proto__":{"baseUrl":"https://evil.example"},"constructor":{"region":"us"}}')
  const { settings } = applyConfig(provider, storedSettings, config)
  expect(Reflect.get(settings, 'baseUrl')).toBeUndefined()
  expect(Object.getPrototypeOf(settings)).toBe(Object.prototype)
  const inherited = applyConfig(provider, storedSettings, Object.create({ baseUrl: 'https://evil.example' }))
  expect(inherited.settings.baseUrl).toBeUndefined()
})

test.each([null, 'text', 7, ['x']].map((config) => [config]))(
  'the config %j is an error, and no settings are used',
  (config) => {
    expect(applyConfig(provider, storedSettings, config)).toEqual({
      settings: {},
      issues: ['config must be an object'],
      moved: false,
      withheld: [],
    })
  },
)

test('the stored settings are never changed', () => {
  const before = structuredClone(storedSettings)
  applyConfig(provider, storedSettings, { baseUrl: 'https://mine.example', sender: 'Bea' })
  expect(storedSettings).toEqual(before)
})

test('no adapter lets any config carry a stored secret to another destination', () => {
  const value = fc.oneof(fc.webUrl(), fc.string(), fc.constant(null), fc.nat())
  for (const adapter of providers.values()) {
    const secrets = secretKeys(adapter)
    const keys = Object.keys(adapter.settings.properties)
    const destinations = keys.filter((key) => Reflect.get(adapter.settings.properties[key]!, 'destination') === true)
    if (keys.length === 0) continue
    const full = Object.fromEntries(
      keys.map((key) => [key, secrets.includes(key) ? `STORED-${key}` : `https://${key}`]),
    )
    const config = fc.dictionary(fc.constantFrom(...keys), value)
    fc.assert(
      fc.property(config, (change) => {
        const { settings } = applyConfig(adapter, full, change)
        const elsewhere = destinations.some((key) => key in settings && settings[key] !== full[key])
        return !elsewhere || !JSON.stringify(settings).includes('STORED-')
      }),
      // The project `long` runs more.
      { numRuns: isLong ? 200 : 20 },
    )
  }
})
