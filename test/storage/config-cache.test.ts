/** The cache of a workspace's configuration may be cleared at any time: every pending lookup still gets its answer. */
import { createLog } from '@postrider/server/internal/base/log'
import { secretKey } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import { firstStart } from '@postrider/server/internal/first-start'
import { createWorkspaceConfigCache } from '@postrider/server/internal/messages/load/workspace-config-cache'
import { expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'

const eventMapping = (event: string) => ({ workspaceId: 1, event, mode: 'live' as const })

withEngine((open) => {
  test('a mapping that was cached at its lookup is returned, also when the cache is cleared during other lookups', async () => {
    const engine = await open()
    await firstStart(engine, Date.now())
    let gate = Promise.resolve()
    const slow: Engine = {
      ...engine,
      run: async (statement) => {
        const result = await engine.run(statement)
        await gate
        return result
      },
    } as Engine
    const options = {
      engine: slow,
      secretKey: secretKey(Buffer.alloc(32)),
      providers: new Map(),
      log: createLog('silent'),
    }
    const cache = createWorkspaceConfigCache({ ...options, now: () => 1_000 })
    const [welcome] = await cache.mappings([eventMapping('welcome')])
    expect(welcome?.notification).toBeDefined()

    let release = () => {}
    gate = new Promise((resolve) => {
      release = resolve
    })
    const answer = cache.mappings([eventMapping('nothing'), eventMapping('welcome'), eventMapping('welcome')])
    cache.forget()
    release()
    expect(await answer).toEqual([undefined, welcome, welcome])
  })
})
