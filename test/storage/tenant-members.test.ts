/** Members of tenants: deleted in slices, kept while a tenant has children, and read in pages by requests. */
import { type Engine, isBrokenReference } from '@postrider/server/internal/database/engine'
import { drain } from '@postrider/server/internal/database/query'
import { tenantRecipients } from '@postrider/server/internal/database/tables/tenants/memberships'
import {
  deleteTenant,
  tenantMembersSlice,
  tenantTree,
} from '@postrider/server/internal/database/tables/tenants/tenants'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { tryCommit } from './try-commit.ts'

const MEMBERS = 2_500

const remove = async (engine: Engine, workspaceId: number, id: string) => {
  await drain(engine, tenantMembersSlice(workspaceId, id))
  return tryCommit(engine, deleteTenant(workspaceId, id))
}

withEngine((open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
    const tenants = ['large', 'parent', 'child'].map((id) => ({
      text: `insert into tenants (workspace_id, id, name, parent_id, properties, user_profile, created, updated)
        values (1, $1, $1, $2, '{}', '{}', 0, 0)`,
      values: [id, id === 'child' ? 'parent' : null],
    }))
    const members = ['large', 'parent'].map((id) => ({
      text: `insert into tenant_members (workspace_id, tenant_id, user_id, profile, created)
        select 1, $1, 'u' || n, '{}', 0 from generate_series(1, $2::integer) n`,
      values: [id, MEMBERS],
    }))
    await engine.batch([...tenants, ...members])
  })

  const membersOf = async (id: string) => {
    const text = 'select count(*)::integer as count from tenant_members where tenant_id = $1'
    return (await engine.run<{ count: number }>({ text, values: [id] })).rows[0]?.count
  }

  test('its members go in slices, and then the tenant', async () => {
    const slices: number[] = []
    const watched: Engine = {
      ...engine,
      async run(...args) {
        const result = await engine.run(...args)
        slices.push(result.affected)
        return result as never
      },
    }
    expect(await remove(watched, 1, 'large')).toBe(true)
    expect(slices).toEqual([1_000, 1_000, 500])
    expect(await membersOf('large')).toBe(0)
    expect(await remove(engine, 1, 'large')).toBe(false)
  })

  test('one with children is not deleted, and none of its members', async () => {
    await expect(remove(engine, 1, 'parent')).rejects.toSatisfy(isBrokenReference)
    expect(await membersOf('parent')).toBe(MEMBERS)
    expect(await remove(engine, 2, 'parent')).toBe(false)
    expect(await membersOf('parent')).toBe(MEMBERS)
  })

  const insertTenants = (tenants: Record<string, string | null>) =>
    engine.batch(
      Object.entries(tenants).map(([id, parent]) => ({
        text: `insert into tenants (workspace_id, id, name, parent_id, properties, user_profile, created, updated)
          values (1, $1, $1, $2, '{}', '{}', 0, 0)`,
        values: [id, parent],
      })),
    )

  test('a tree is a tenant with all below it, in its own workspace', async () => {
    await insertTenants({ top: null, middle: 'top', branch: 'middle', leaf: 'branch', other: 'middle' })
    expect((await tenantTree(engine, 1, 'middle')).sort()).toEqual(['branch', 'leaf', 'middle', 'other'])
    expect(await tenantTree(engine, 2, 'branch')).toEqual([])
  })

  test('a fan-out finds each user of several tenants once, in order', async () => {
    await insertTenants({ x: null, y: null, z: null })
    const members = { x: ['u1', 'u3', 'u5'], y: ['u1', 'u2', 'u3', 'u6'], z: ['u4'] }
    for (const [tenant, users] of Object.entries(members))
      await engine.run({
        text: `insert into tenant_members (workspace_id, tenant_id, user_id, profile, created)
          select 1, $1, id, '{}', 0 from json_array_elements_text($2::json) id`,
        values: [tenant, JSON.stringify(users)],
      })
    const seen: string[] = []
    for (let after: string | undefined, more = true; more; after = seen.at(-1)) {
      const page = await tenantRecipients(engine, 1, ['x', 'y', 'unknown'], after, 2)
      expect(page.length).toBeLessThanOrEqual(2)
      seen.push(...page)
      more = page.length > 0
    }
    expect(seen).toEqual(['u1', 'u2', 'u3', 'u5', 'u6'])
    expect(await tenantRecipients(engine, 2, ['x', 'y'], undefined, 10)).toEqual([])
  })
})
