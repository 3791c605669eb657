/** A server process is watched from start to end: ready, output, how it ended. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { spawnServer, startServer } from './process.ts'

let folder: string
let script: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-process-'))
  script = join(folder, 'server.mjs')
  // Stands in for the service: not ready at first, prints its environment, exits as its argument demands.
  await writeFile(
    script,
    `import { createServer } from 'node:http'
    if (process.argv[2] === 'fail') { console.error('no such folder'); process.exit(3) }
    let requests = 0
    createServer((_, response) => { response.statusCode = ++requests < 3 ? 503 : 200; response.end() })
      .listen(Number(process.env.POSTRIDER_PORT), '127.0.0.1', () => console.log('Postrider is listening on it, mark=' + process.env.MARK, 'lang=' + process.env.LANG))`,
  )
})
afterAll(() => rm(folder, { recursive: true }))

test('a server is given when it is ready, with its output and nothing of our environment', async () => {
  const server = await startServer({ script, env: { MARK: 'yes' } })
  expect(server.output()).toContain('mark=yes lang=undefined')
  server.kill('SIGKILL')
  expect(await server.exited).toBe('SIGKILL')
})

test('a server that ends before it is ready is an error with its output', async () => {
  await expect(startServer({ script, args: ['fail'] })).rejects.toThrow(/ended with 3[\s\S]*no such folder/)
})

test('a process can be watched without waiting for it', async () => {
  const server = await spawnServer({ script, args: ['fail'] })
  expect(await server.exited).toBe(3)
})
