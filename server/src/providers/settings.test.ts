/** Stored secrets go where the integration says and nowhere else. */
import fc from 'fast-check'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { loadProviders } from './registry.ts'
import { applyConfig, BaseUrl, checkSettings, Secret, secretKeys, splitSecrets } from './settings.ts'

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
const stored = { apiKey: 'stored-key', password: 'stored-password', sender: 'Ada', region: 'eu' }

test('secrets are told from what may be shown', () => {
  expect(secretKeys(provider)).toEqual(['apiKey', 'password'])
  expect(splitSecrets(provider, stored)).toEqual({
    settings: { sender: 'Ada', region: 'eu' },
    secrets: { apiKey: 'stored-key', password: 'stored-password' },
  })
})

test('faults name the key and never the value', () => {
  const issues = checkSettings(provider, {
    password: 7,
    sender: 'x'.repeat(30),
    region: 'moon',
    baseUrl: 'ftp://x',
    typo: 1,
  })
  expect(issues).toEqual(
    expect.arrayContaining([
      'must have required properties apiKey',
      'has no key typo',
      'password: must be string',
      'region: must be one of eu, us',
    ]),
  )
  expect(issues).toHaveLength(6)
  expect(issues.join()).not.toMatch(/xxx|moon|ftp/)
  expect(checkSettings(provider, stored)).toEqual([])
  expect(checkSettings(provider, 'text')).toEqual(['must be object'])
})

test('without a config the settings stay as they are', () => {
  expect(applyConfig(provider, stored, undefined)).toEqual({ settings: stored, issues: [] })
})

test('a config that leaves the destination alone keeps the stored secrets', () => {
  const { settings, issues } = applyConfig(provider, stored, { sender: 'Bea' })
  expect(settings).toEqual({ ...stored, sender: 'Bea' })
  expect(issues).toEqual([])
})

test('naming the destination that already holds changes nothing', () => {
  expect(applyConfig(provider, stored, { region: 'eu' }).settings).toEqual(stored)
  const { settings } = applyConfig(provider, stored, { baseUrl: 'https://api.example.com' })
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
  const { settings, issues } = applyConfig(provider, stored, config)
  expect(JSON.stringify(settings)).not.toContain('stored-')
  expect(settings).toMatchObject({ sender: 'Ada' })
  expect(issues).toContain('must have required properties apiKey')
})

test('only the secrets of the same override go to a new destination', () => {
  const { settings, issues } = applyConfig(provider, stored, { baseUrl: 'https://mine.example', apiKey: 'own-key' })
  expect(settings).toEqual({ sender: 'Ada', region: 'eu', baseUrl: 'https://mine.example', apiKey: 'own-key' })
  expect(issues).toEqual([])
})

test('a config cannot hide a destination in a prototype', () => {
  const config = JSON.parse('{"__proto__":{"baseUrl":"https://evil.example"},"constructor":{"region":"us"}}')
  const { settings } = applyConfig(provider, stored, config)
  expect(Reflect.get(settings, 'baseUrl')).toBeUndefined()
  expect(Object.getPrototypeOf(settings)).toBe(Object.prototype)
  const inherited = applyConfig(provider, stored, Object.create({ baseUrl: 'https://evil.example' }))
  expect(inherited.settings.baseUrl).toBeUndefined()
})

test.each([null, 'text', 7, ['x']].map((config) => [config]))(
  'the config %j is a fault, and gives no settings away',
  (config) => {
    expect(applyConfig(provider, stored, config)).toEqual({ settings: {}, issues: ['config: must be object'] })
  },
)

test('the stored settings are never changed', () => {
  const before = structuredClone(stored)
  applyConfig(provider, stored, { baseUrl: 'https://mine.example', sender: 'Bea' })
  expect(stored).toEqual(before)
})

test('no adapter lets any config carry a stored secret to another destination', async () => {
  for (const adapter of (await loadProviders()).values()) {
    const secrets = secretKeys(adapter)
    const keys = Object.keys(adapter.settings.properties)
    const destinations = keys.filter((key) => Reflect.get(adapter.settings.properties[key]!, 'destination') === true)
    if (keys.length === 0) continue
    const full = Object.fromEntries(
      keys.map((key) => [key, secrets.includes(key) ? `STORED-${key}` : `https://${key}`]),
    )
    const config = fc.dictionary(
      fc.constantFrom(...keys),
      fc.oneof(fc.webUrl(), fc.string(), fc.constant(null), fc.nat()),
    )
    fc.assert(
      fc.property(config, (change) => {
        const { settings } = applyConfig(adapter, full, change)
        const elsewhere = destinations.some((key) => key in settings && settings[key] !== full[key])
        return !elsewhere || !JSON.stringify(settings).includes('STORED-')
      }),
      { numRuns: 200 },
    )
  }
})
