/** Deleting a tenant of many members blocks no other call, and one with children keeps its members. */
import type { Engine } from '@postrider/server/internal/database/engine'
import { deleteTenant } from '@postrider/server/internal/database/tables/tenants/tenants'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'

const MEMBERS = 2_500

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
      async run(...given) {
        const result = await engine.run(...given)
        slices.push(result.affected)
        return result as never
      },
    }
    expect(await deleteTenant(watched, 1, 'large')).toBe('deleted')
    expect(slices).toEqual([1_000, 1_000, 500])
    expect(await membersOf('large')).toBe(0)
    expect(await deleteTenant(engine, 1, 'large')).toBe('missing')
  })

  test('one with children is not deleted, and none of its members', async () => {
    expect(await deleteTenant(engine, 1, 'parent')).toBe('has_children')
    expect(await membersOf('parent')).toBe(MEMBERS)
    expect(await deleteTenant(engine, 2, 'parent')).toBe('missing')
    expect(await membersOf('parent')).toBe(MEMBERS)
  })
})
