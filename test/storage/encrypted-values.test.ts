/** A rotation of the secret key reads every encrypted value once, and no more in a step than fits into memory. */
import { encryptedPrefix, secretKey } from '@postrider/server/internal/base/secret'
import { encryptedTables } from '@postrider/server/internal/database/encrypted-tables'
import type { Engine } from '@postrider/server/internal/database/engine'
import {
  type EncryptedRow,
  rowsEncryptedWith,
  type StepMax,
} from '@postrider/server/internal/database/tables/installation/secret-keys'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'

withEngine((open) => {
  let engine: Engine
  const { id: keyId } = secretKey(Buffer.alloc(32, 7))
  const value = `${encryptedPrefix(keyId)}nonce.tag.`
  const profiles = encryptedTables.find(({ table }) => table === 'profiles')

  beforeAll(async () => {
    engine = await open()
    await engine.batch([
      { text: `insert into workspaces values (1, 'production'), (2, 'test') on conflict do nothing` },
      {
        text: `insert into profiles (workspace_id, id, profile, version, created, updated)
          select w, 'user-' || n, json_build_object('token', $1::text || repeat('x', n * 1000)), 1, 0, 0
          from generate_series(1, 2) w, generate_series(0, 9) n`,
        values: [value],
      },
      { text: `update profiles set profile = '{}' where id = 'user-7'` },
    ])
  })

  async function steps(max: StepMax): Promise<string[][]> {
    const pages: string[][] = []
    let after: EncryptedRow | undefined
    for (;;) {
      const rows = await rowsEncryptedWith(engine, profiles!, keyId, after, max)
      if (rows.length === 0) return pages
      for (const row of rows) expect(JSON.parse(row.texts.profile ?? '{}').token).toContain(value)
      pages.push(rows.map(({ key }) => `${key.workspace_id}/${key.id}`))
      after = rows.at(-1)
    }
  }

  const all = [1, 2].flatMap((w) => [0, 1, 2, 3, 4, 5, 6, 8, 9].map((n) => `${w}/user-${n}`))

  test('every row with a value of the key is read once, in order', async () => {
    expect(await steps({ rows: 4, bytes: 1_000_000 })).toEqual([
      all.slice(0, 4),
      all.slice(4, 8),
      all.slice(8, 12),
      all.slice(12, 16),
      all.slice(16),
    ])
  })

  test('a step ends with the row that goes beyond its bytes, and has at least one', async () => {
    expect((await steps({ rows: 100, bytes: 1 })).map(([id]) => id)).toEqual(all)
    const some = await steps({ rows: 100, bytes: 10_000 })
    expect(some.flat()).toEqual(all)
    expect(some[0]).toEqual(all.slice(0, 5))
  })
})
