/** Suppressed addresses are read with the other facts of a batch. */
import { secretKey } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import { suppressionsInsert } from '@postrider/server/internal/database/tables/suppressions/suppressions'
import { tokenCipher } from '@postrider/server/internal/database/token-cipher'
import { defaultWindows } from '@postrider/server/internal/messages/facts'
import { load } from '@postrider/server/internal/messages/load/load'
import { createWorkspaceConfigCache } from '@postrider/server/internal/messages/load/workspace-config-cache'
import { providers } from '@postrider/server/internal/providers/catalog'
import { expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'

withEngine((open) => {
  test('one statement finds those of a batch, and none is needed in a workspace without any', async () => {
    const engine = await open()
    const texts: string[] = []
    const key = secretKey(Buffer.alloc(32, 7))
    const counted: Engine = {
      ...engine,
      tokens: tokenCipher(key),
      run(statement) {
        texts.push(statement.text)
        return engine.run(statement)
      },
    }
    const now = () => 1_000_000
    const configCache = createWorkspaceConfigCache({ engine: counted, secretKey: key, providers, now })
    const options = { engine: counted, configCache, windows: defaultWindows, workspaceName: String, now }
    const requests = Array.from({ length: 50 }, (_, n) => ({
      message: { id: `m${n}`, workspace_id: 1, mode: 'live', first_due: 0, recipient: `user-${n}` },
      input: {
        event: '',
        recipient: `user-${n}`,
        content: { title: 'Hello', body: 'There' },
        profile: { email: `user-${n}@example.com` },
      },
      snapshot: undefined,
    }))
    const lookUps = async () => {
      texts.length = 0
      const loaded = await load(requests, options)
      const count = texts.filter((text) => text.includes('from suppressions t')).length
      return { count, found: loaded.filter(({ facts }) => facts.suppressions).length }
    }
    await engine.run({ text: `insert into workspaces values (1, 'production') on conflict do nothing`, values: [] })
    await engine.run({
      text: `insert into integrations (workspace_id, id, provider, channel, title, enabled, priority, settings, created, updated, version)
        values (1, 'M', 'mailbox', null, 'Mailbox', true, 0, '{}', 0, 0, 1)`,
      values: [],
    })
    expect(await lookUps()).toEqual({ count: 0, found: 0 })
    const row = { workspace_id: 1, kind: 'email', reason: 'manual', source: 'key/k', message_id: null, note: null }
    const added = ['user-7', 'user-8', 'other'].map((name) => ({
      ...{ ...row, id: name, address: `${name}@example.com`, person: null, created: 0 },
      ends: name === 'user-8' ? now() : null,
    }))
    await engine.run(suppressionsInsert(added))
    configCache.forget()
    expect(await lookUps()).toEqual({ count: 1, found: 1 })
  })
})
