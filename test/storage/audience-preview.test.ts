/** A preview of an audience evaluates each user once, in pages, and stops at its bound. */
import { audiencePreviewUsersMax } from '@postrider/contract'
import { parseFilter } from '@postrider/server/internal/audiences/filter'
import { previewAudience } from '@postrider/server/internal/audiences/preview'
import type { Engine } from '@postrider/server/internal/database/engine'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'

const filter = parseFilter({ operator: 'EQ', path: 'plan', value: 'pro' }, undefined)

withEngine((open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
  })

  const addProfiles = (from: number, to: number) =>
    engine.run({
      text: `insert into profiles (workspace_id, id, profile, version, created, updated)
      select 1, 'user-' || lpad(n::text, 6, '0'), json_build_object('plan', case when n % 3 = 0 then 'pro' else 'free' end), 1, 1, 1
      from generate_series($1::integer, $2::integer) n`,
      values: [from, to],
    })

  test('each user is evaluated once, the first page is listed', async () => {
    await addProfiles(1, 1_200)
    const { matched, evaluated, isComplete, members } = await previewAudience(engine, 1, filter, 2)
    expect([matched, evaluated, isComplete]).toEqual([400, 1_200, true])
    expect(members.map(({ id }) => id)).toEqual(['user-000003', 'user-000006'])
    expect(await previewAudience(engine, 2, filter, 2)).toMatchObject({ matched: 0, evaluated: 0, isComplete: true })
  })

  test('more users than the bound are not evaluated', async () => {
    await addProfiles(1_201, audiencePreviewUsersMax + 10)
    const { evaluated, isComplete } = await previewAudience(engine, 1, filter, 2)
    expect(isComplete).toBe(false)
    expect(evaluated).toBeLessThanOrEqual(audiencePreviewUsersMax)
  })
})
