/** Keys are made, listed and revoked through a running server, and in its database when none runs. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ApiKey, CreatedKey } from '@postrider/client'
import { describe, expect, test } from 'vitest'
import { openApp } from '../support/app.ts'
import { settableClock } from '../support/clock.ts'
import { newDatabase, newDataFolder } from '../support/databases.ts'
import { until } from '../support/until.ts'
import { json, run } from './in-process.ts'
import { start } from './run.ts'

const key = 'pk_prod_0123456789abcdefghijklmnop'
const DAY_MS = 86_400_000
// Nothing listens there, so that no other server of this machine replies.
const unreachable = { POSTRIDER_PORT: '1', POSTRIDER_LOG_LEVEL: 'silent' }

const list = async (env: Record<string, string>) =>
  (await json<{ results: ApiKey[] }>(['keys', 'list'], { env })).results

test('a key that is made works, and refused when it is revoked', async () => {
  const server = await openApp({ env: { POSTRIDER_API_KEY: key } })
  try {
    const env = { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: key }
    const made = await json<CreatedKey>(['keys', 'create', '--name', 'second'], { env })
    expect(made).toMatchObject({ name: 'second', kind: 'published', environment: 'production' })
    const other = { ...env, POSTRIDER_API_KEY: made.key }
    expect((await list(other)).map(({ id }) => id)).toContain(made.id)
    const { code, out } = await run(['keys', 'revoke', made.id], { env })
    expect({ code, out }).toEqual({ code: 0, out: `Revoked ${made.id}.\n` })
    expect((await list(env)).map(({ id }) => id)).not.toContain(made.id)

    const mock = await json<CreatedKey>(['keys', 'create', '--kind', 'mock', '--environment', 'test'], { env })
    expect(mock.key).toMatch(/^mk_test_/)
  } finally {
    await server.stop()
  }
})

test('a key is replaced while both work, with its end and its use shown, and the last one keeps its place', async () => {
  const server = await openApp({ env: { POSTRIDER_API_KEY: key } })
  try {
    const env = { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: key }
    const old = await json<CreatedKey>(['keys', 'create', '--name', 'shop', '--role', 'editor'], { env })
    const { created, replaced } = await json<{ created: CreatedKey; replaced: ApiKey }>(
      ['keys', 'replace', old.id, '--overlap', '2', '--expires', '90 days'],
      { env },
    )
    expect(created).toMatchObject({ name: 'shop', role: 'editor', kind: 'published', environment: 'production' })
    expect(replaced).toMatchObject({ id: old.id, expires: expect.any(Number) })
    expect(created.expires ?? 0).toBeGreaterThan(replaced.expires ?? 0)
    for (const each of [old, created])
      expect((await run(['templates', 'list'], { env: { ...env, POSTRIDER_API_KEY: each.key } })).code).toBe(0)
    // Its use is what an operator waits for before the old one is revoked.
    const rows = await until(
      async () => (await run(['keys', 'list'], { env })).out.split('\n'),
      (lines) => lines.some((line) => line.includes(created.id) && line.includes('127.0.0.1')),
    )
    const day = (time: number | null) => new Date(time ?? 0).toISOString().slice(0, 10)
    expect(rows.find((line) => line.includes(old.id))).toContain(day(replaced.expires))
    expect(rows.find((line) => line.includes(created.id))).toContain(day(created.expires))

    const never = await json<ApiKey>(['keys', 'update', created.id, '--expires', 'never'], { env })
    expect(never.expires).toBeNull()
    const sooner = await json<ApiKey>(['keys', 'update', created.id, '--expires', '1 hour'], { env })
    // The end of a key that is replaced is not put off.
    const again = await json<{ replaced: ApiKey }>(['keys', 'replace', created.id], { env })
    expect(again.replaced.expires).toBe(sooner.expires)

    const [last] = (await list(env)).filter(({ name }) => name === 'first key')
    const kept = (await list(env)).length
    const short = await run(['keys', 'replace', String(last?.id), '--expires', '20 days'], { env })
    expect(short).toMatchObject({ code: 1, err: expect.stringContaining('the last published key of role full') })
    expect(short.err).toMatch(/--overlap 7, --expires must be more than 21 days .* The new key was revoked/)
    const dead = await run(['keys', 'replace', String(last?.id), '--expires', '20 days', '--json'], { env })
    // A key that was revoked is no answer.
    expect(dead).toMatchObject({ code: 1, out: '', err: expect.stringContaining('"code":"in_use"') })
    expect(await list(env)).toHaveLength(kept)
    const { created: next } = await json<{ created: CreatedKey }>(['keys', 'replace', String(last?.id)], { env })
    const byNext = { env: { ...env, POSTRIDER_API_KEY: next.key } }
    expect((await run(['keys', 'revoke', String(last?.id)], byNext)).code).toBe(0)
    expect((await run(['keys', 'list'], { env })).err).toContain('rejected the API key')

    expect((await run(['keys', 'replace', 'none'], byNext)).err).toContain('Unknown key')
    expect((await run(['keys', 'replace', next.id, '--overlap', '0'], byNext)).code).toBe(2)
  } finally {
    await server.stop()
  }
})

describe('a replacement whose second step gets no reply', () => {
  type Loss = 'after the update' | 'before the update' | 'from the update on' | (() => void)

  /** A key that is replaced through a proxy, with the list of the server afterwards. */
  async function replaced(loss: Loss, args: string[] = []) {
    const server = await openApp({ env: { POSTRIDER_API_KEY: key } })
    const proxy = await startLosingProxy(server.url, loss)
    try {
      const env = { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: key }
      const old = await json<CreatedKey>(['keys', 'create', '--name', 'shop', '--role', 'editor'], { env })
      const outcome = await run(['keys', 'replace', old.id, ...args], { env: { ...env, POSTRIDER_URL: proxy.url } })
      const newKey = /pk_prod_\w+/.exec(outcome.out)?.[0] ?? ''
      const { code } = await run(['templates', 'list'], { env: { ...env, POSTRIDER_API_KEY: newKey } })
      return {
        ...outcome,
        old,
        isNewKeyValid: code === 0,
        end: (await list(env)).find(({ id }) => id === old.id)?.expires,
      }
    } finally {
      proxy.close()
      await server.stop()
    }
  }

  /** Cuts the connection of the update, made by the server or not, or of every call from it on; a function is called at it, without a reply. */
  async function startLosingProxy(target: string, loss: Loss) {
    let isCut = false
    const proxy = createServer((incoming, outgoing) => {
      const { method = 'GET', headers } = incoming
      const isUpdate = method === 'PATCH'
      if (isUpdate && typeof loss === 'function') return loss()
      if (isUpdate) isCut = loss === 'from the update on'
      if (isCut || (isUpdate && loss === 'before the update')) return void outgoing.destroy()
      const forwarded = request(`${target}${incoming.url}`, { method, headers }, (reply) => {
        if (isUpdate) return void outgoing.destroy()
        outgoing.writeHead(reply.statusCode ?? 502, reply.rawHeaders)
        reply.pipe(outgoing)
      })
      forwarded.on('error', () => outgoing.destroy())
      incoming.pipe(forwarded)
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const { port } = proxy.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}`,
      close() {
        proxy.close()
        proxy.closeAllConnections()
      },
    }
  }

  test('went well where the list shows the end of the old key', async () => {
    const { code, out, old, end, isNewKeyValid } = await replaced('after the update')
    expect({ code, isNewKeyValid, end }).toEqual({ code: 0, isNewKeyValid: true, end: expect.any(Number) })
    expect(out).toMatch(new RegExp(`published, editor, production.*The old key, ${old.id}, expires `, 's'))
  })

  test.each(['before the update', 'from the update on'] as const)(
    'leaves the new key, which is printed, where the update is lost %s',
    async (loss) => {
      const { code, err, old, end, isNewKeyValid } = await replaced(loss)
      expect({ code, isNewKeyValid, end }).toEqual({ code: 1, isNewKeyValid: true, end: null })
      expect(err).toMatch(/^hint: The new key works\. It is not known whether the old key ends/m)
      expect(err).toMatch(new RegExp(`postrider keys update ${old.id} --expires 20[\\dT:.Z-]+ ends it`))
    },
  )

  test('has the new key in its answer with --json, too', async () => {
    const { code, out, isNewKeyValid } = await replaced('from the update on', ['--json'])
    expect({ code, isNewKeyValid }).toEqual({ code: 1, isNewKeyValid: true })
    expect(JSON.parse(out)).toMatchObject({ created: { name: 'shop', role: 'editor' }, replaced: null })
  })

  /** A process that gets a signal at the update. */
  async function signaled(signal: NodeJS.Signals, args: string[] = []) {
    const server = await openApp({ env: { POSTRIDER_API_KEY: key } })
    let send = () => {}
    const proxy = await startLosingProxy(server.url, () => send())
    try {
      const env = { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: key }
      const { id } = await json<CreatedKey>(['keys', 'create', '--name', 'shop'], { env })
      const { child, output, ended } = start(['keys', 'replace', id, ...args], {
        env: { ...env, POSTRIDER_URL: proxy.url },
      })
      send = () => void child.kill(signal)
      const code = await ended
      const newKey = /pk_prod_\w+/.exec(output.out)?.[0] ?? ''
      const isNewKeyValid = (await run(['keys', 'list'], { env: { ...env, POSTRIDER_API_KEY: newKey } })).code === 0
      return { code, ...output, isNewKeyValid }
    } finally {
      proxy.close()
      await server.stop()
    }
  }

  test('has printed the new key before the update', async () => {
    expect(await signaled('SIGKILL')).toMatchObject({ code: -1, isNewKeyValid: true })
  })

  test('has the new key in its answer when it is interrupted', async () => {
    const { code, out, err, isNewKeyValid } = await signaled('SIGINT', ['--json'])
    expect({ code, isNewKeyValid }).toEqual({ code: 1, isNewKeyValid: true })
    expect(JSON.parse(out)).toMatchObject({ replaced: null })
    expect(err).toContain('"error":"Interrupted"')
  })
})

test('a key that has expired already is replaced by one that works', async () => {
  const clock = settableClock(Date.now() - 10 * DAY_MS)
  const server = await openApp({ env: { POSTRIDER_API_KEY: key }, clock })
  try {
    const env = { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: key }
    const old = await json<CreatedKey>(['keys', 'create', '--name', 'shop', '--expires', '1 day'], { env })
    const { code, out } = await run(['keys', 'replace', old.id], { env })
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`The old key, ${old.id}, has expired: 20`) })
  } finally {
    await server.stop()
  }
})

test('a command with an expired key says that it has expired', async () => {
  const clock = settableClock()
  const server = await openApp({ env: { POSTRIDER_API_KEY: key }, clock })
  try {
    const env = { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: key }
    const made = await json<CreatedKey>(['keys', 'create', '--name', 'shop', '--expires', '1 day'], { env })
    clock.set(made.expires ?? 0)
    const { code, err } = await run(['keys', 'list'], { env: { ...env, POSTRIDER_API_KEY: made.key } })
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('The API key `shop` expired on ') })
    expect(err).toMatch(/^hint: .*unset POSTRIDER_API_KEY .* postrider keys create$/m)
    const { checks } = await json<{ checks: { name: string; detail: string }[] }>(['doctor'], { env })
    expect(checks.find(({ name }) => name === 'API keys')?.detail).toContain(`\`shop\` (${made.id}) expired on `)
  } finally {
    await server.stop()
  }
})

test('with every key lost, a new one is made in the database and works, be the server running or stopped', async () => {
  const folder = { POSTRIDER_DATA_DIR: await newDataFolder() }
  const first = await openApp({ env: folder })
  const beside = { env: { ...folder, POSTRIDER_PORT: new URL(first.url).port } }
  const { id, key: second } = await json<CreatedKey>(['keys', 'create', '--name', 'second'], beside)
  const call = () => run(['keys', 'list'], { env: { POSTRIDER_URL: first.url, POSTRIDER_API_KEY: second } })
  expect(await call()).toMatchObject({ code: 0 })
  expect(await run(['keys', 'revoke', id], beside)).toMatchObject({ code: 0 })
  // The server is notified, or looks again within a second.
  await until(call, ({ code, err }) => code === 1 && err.includes('rejected the API key'))
  await first.stop()

  const made = await json<CreatedKey>(['keys', 'create', '--name', 'rescue'], { env: { ...folder, ...unreachable } })
  const later = await openApp({ env: folder })
  try {
    const sent = await run(['send', 'welcome', 'ada', '--wait'], {
      env: { POSTRIDER_URL: later.url, POSTRIDER_API_KEY: made.key },
    })
    expect(sent).toMatchObject({ code: 0, out: expect.stringContaining('DELIVERED') })
  } finally {
    await later.stop()
  }
})

test('without a server and without a database there is nothing to open', async () => {
  const { code, err } = await run(['keys', 'list'], { env: { ...unreachable, POSTRIDER_DATA_DIR: '/nowhere/data' } })
  expect(code).toBe(1)
  expect(err).toMatch(/There is no database in .*\nhint: .*serve/)
})

describe('on PostgreSQL', () => {
  test('a database without a schema is migrated once, with a message', async () => {
    const env = {
      ...unreachable,
      POSTRIDER_DATABASE_URL: await newDatabase(),
      POSTRIDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
    const pending = await run(['migrate', '--status', '--json'], { env })
    expect(pending.code).toBe(1)
    expect(JSON.parse(pending.out)).toMatchObject({ applied: 0, pending: expect.arrayContaining(['initial']) })
    expect((await run(['keys', 'list'], { env })).err).toContain('not up to date')
    expect((await run(['migrate'], { env })).out).toMatch(/^Applied initial/)
    expect((await run(['migrate'], { env })).out).toMatch(/^Nothing to do/)
    // No server has made the environments yet that a key would belong to.
    const empty = await run(['keys', 'create'], { env })
    expect(empty).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error: The database is empty\nhint: .*serve/m),
    })
    expect((await run(['migrate', '--status'], { env })).code).toBe(0)
  })
})
