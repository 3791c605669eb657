/** Loads the tenants of a batch of messages: each level in order, of its own workspace, in two queries. */
import type { Engine } from '@postrider/server/internal/database/engine'
import type { DecisionSnapshot } from '@postrider/server/internal/messages/decision-snapshot'
import { loadTenants } from '@postrider/server/internal/messages/load/recipients'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApp } from '../support/app.ts'
import { withEngine } from '../support/engine.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

const subject = (recipient: string, tenantId?: string, workspace = 1, snapshot?: DecisionSnapshot) => ({
  message: { id: recipient, workspace_id: workspace, mode: 'live', first_due: 0, recipient, event: 'e' },
  input: { event: 'e', recipient, ...(tenantId !== undefined && { tenantId }) },
  snapshot,
})

withEngine((open) => {
  let api: RecordingApp
  let statements = 0
  let counting: Engine
  beforeAll(async () => {
    const engine = await open()
    counting = {
      ...engine,
      run: (...args) => {
        statements += 1
        return engine.run(...args)
      },
    } as Engine
    api = await openApp({ pipeline: 'recording', engine })
    const put = (path: string, body: unknown, key = keys.production) => api.call('PUT', path, { body, apiKey: key })
    await put('/tenants/root', { name: 'Root', user_profile: { a: 1 }, properties: { of: 'root' }, brand_id: 'R' })
    await put('/tenants/middle', { name: 'Middle', parent_tenant_id: 'root' })
    await put('/tenants/leaf', {
      name: 'Leaf',
      parent_tenant_id: 'middle',
      user_profile: { b: 2 },
      properties: { of: 'leaf' },
      brand_id: 'L',
    })
    await put('/users/ada/tenants/leaf', { profile: { c: 3 } })
    await put('/users/bob/tenants/leaf', {})
    await put('/tenants/leaf', { name: 'Foreign leaf', user_profile: { foreign: true } }, keys.test)
  })
  afterAll(() => api.stop())

  const leaf = { id: 'leaf', name: 'Leaf', properties: { of: 'leaf' }, brandId: 'L', profiles: [{ a: 1 }, { b: 2 }] }

  test('the tenant with its own properties and brand, and the profiles from the top down', async () => {
    const facts = await loadTenants(api.engine, [
      subject('ada', 'leaf'),
      subject('bob', 'leaf'),
      subject('eve', 'leaf'),
      subject('ada', 'middle'),
      subject('ada'),
      subject('ada', 'unknown'),
      subject('ada', 'leaf', 2),
    ])
    expect(facts).toEqual([
      { ...leaf, ofUser: { c: 3 } },
      leaf,
      leaf,
      { id: 'middle', name: 'Middle', properties: {}, profiles: [{ a: 1 }] },
      undefined,
      undefined,
      { id: 'leaf', name: 'Foreign leaf', properties: {}, profiles: [{ foreign: true }] },
    ])
  })

  test('a batch of any size needs two queries, and one without tenants none', async () => {
    statements = 0
    const facts = await loadTenants(
      counting,
      Array.from({ length: 500 }, (_, index) => subject(`user-${index}`, index % 2 ? 'leaf' : 'root')),
    )
    expect([facts.length, facts[499], statements]).toEqual([500, leaf, 2])
    statements = 0
    const snapshot = { tenant: { id: 'leaf', name: 'Then', properties: { of: 'then' } } }
    expect(await loadTenants(counting, [subject('ada'), subject('ada', 'leaf', 1, snapshot)])).toEqual([
      undefined,
      { ...snapshot.tenant, profiles: [] },
    ])
    expect(statements).toBe(0)
  })
})
