/** Deleting a tenant of many members blocks no other call, and one with children keeps its members. */
import { type Engine, isBrokenReference } from '@postrider/server/internal/database/engine'
import { drain } from '@postrider/server/internal/database/query'
import { deleteTenant, tenantMembersSlice } from '@postrider/server/internal/database/tables/tenants/tenants'
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
      async run(...given) {
        const result = await engine.run(...given)
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
})
