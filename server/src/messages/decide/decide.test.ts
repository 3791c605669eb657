/** The precedence of profiles and of their time zones, and the part of a profile that a decision stores. */
import { expect, test } from 'vitest'
import { defaultWindows, type Facts, type TenantFacts } from '../facts.ts'
import { conditionScope } from './condition.ts'
import type { Mapped } from './decision.ts'
import { profile, storedProfileOf } from './profile.ts'
import { window } from './window.ts'

const facts = (more: Partial<Facts>) => ({ integrations: [], windows: defaultWindows, ...more }) as unknown as Facts
const tenant = (more: Partial<TenantFacts> = {}): TenantFacts => ({
  id: 'acme',
  name: 'Acme',
  properties: {},
  profiles: [],
  ...more,
})
const profiled = (more: Partial<Facts>, input: Partial<Mapped['input']> = {}): Mapped =>
  ({
    messageId: 'm',
    workspace: 'production',
    input: { event: 'e', recipient: 'r', tenantId: 'acme', ...input },
    notification: { id: 'N' },
    now: 0,
    facts: facts(more),
  }) as unknown as Mapped
const stepped = (value: Mapped) => {
  const result = profile(value)
  if ('stop' in result) throw new Error('A profile stops nothing')
  return { ...value, ...result.added, found: result.explain() }
}

test('every profile wins over those below it, key by key', () => {
  const below = [
    { all: 'root', a: 'root', deep: { root: 1, x: 'root' } },
    { all: 'tenant', b: 'tenant', deep: { tenant: 1, x: 'tenant' } },
  ]
  const storedProfile = { all: 'stored', c: 'stored', deep: { stored: 1, x: 'stored' } }
  const ofUser = { all: 'there', d: 'there', deep: { there: 1, x: 'there' } }
  const value = profiled(
    { storedProfile, tenant: tenant({ profiles: below, ofUser }) },
    { profile: { all: 'send', e: 'send', deep: { send: 1 } } },
  )
  const { profile } = stepped(value)
  const expectedProfile = { a: 'root', b: 'tenant', c: 'stored', d: 'there' }
  const deep = { root: 1, tenant: 1, stored: 1, there: 1 }
  expect(profile.stored).toEqual({ ...expectedProfile, all: 'there', deep: { ...deep, x: 'there' } })
  expect(profile.merged).toEqual({ ...expectedProfile, all: 'send', e: 'send', deep: { ...deep, x: 'there', send: 1 } })
})

test('the snapshot leads to the same profile as the profiles did', () => {
  const before = facts({
    storedProfile: { email: 'a@example.com' },
    tenant: tenant({ profiles: [{ locale: 'de', email: 'root@example.com' }], ofUser: { title: 'Dr' } }),
  })
  const pinned = storedProfileOf(before)
  expect(pinned).toEqual({ email: 'a@example.com', locale: 'de', title: 'Dr' })
  expect(storedProfileOf(facts({ storedProfile: pinned, tenant: tenant() }))).toEqual(pinned)
})

test('a tenant that says nothing stores no profile', () => {
  expect(storedProfileOf(facts({ tenant: tenant() }))).toBeUndefined()
  expect(stepped(profiled({ tenant: tenant() })).found.facts).toEqual({ stored: false, keys: [], tenant: 'acme' })
})

test('an explanation names the tenant, and one that does not exist', () => {
  expect(stepped(profiled({ tenant: tenant({ profiles: [{ a: 1 }] }) })).found.findings).toContainEqual({
    code: 'tenant_merged',
    params: { tenant_id: 'acme' },
  })
  expect(stepped(profiled({})).found.findings).toContainEqual({ code: 'tenant_unknown', params: { tenant_id: 'acme' } })
})

test('templates see the tenant by its own name and id, and its properties', () => {
  const properties = { plan: 'gold', name: 'hidden', id: 'hidden' }
  const { tenant: seen } = conditionScope(stepped(profiled({ tenant: tenant({ properties }) })))
  expect(seen).toEqual({ plan: 'gold', id: 'acme', name: 'Acme' })
  expect(conditionScope(stepped(profiled({})))).not.toHaveProperty('tenant')
})

test('opening hours are in the zone of the delay, else of the recipient in the send, else of the stored profile', () => {
  const opensAt = (ofSend: Record<string, unknown>, timezone?: string) => {
    const openingHours = { rule: '12:00-12:01', ...(timezone && { timezone }) }
    const storedProfile = { zoneinfo: 'Asia/Tokyo', timezone: 'Asia/Dubai' }
    const value = stepped(profiled({ storedProfile }, { profile: ofSend, openingHours }))
    const result = window(value as unknown as Parameters<typeof window>[0])
    return 'stop' in result && 'until' in result.stop ? result.stop.until / 3_600_000 : undefined
  }
  expect(opensAt({})).toBe(3)
  expect(opensAt({ timezone: 'America/New_York' })).toBe(17)
  expect(opensAt({ timezone: 'Mars' })).toBe(3)
  expect(opensAt({ timezone: 'America/New_York' }, 'UTC')).toBe(12)
})
