/** A server that an earlier process left is ended only when its process is known to be that server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog } from '@postrider/server/internal/base/log'
import { endLeftover } from '@postrider/server/internal/database/local/postmaster'
import { afterEach, expect, test } from 'vitest'
import { newDataFolder } from '../support/databases.ts'

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

test('a number that is another process here, as of a server in another container, is not signaled', async () => {
  const folder = await newDataFolder()
  const script = fileURLToPath(new URL('../dist/local/holder.js', import.meta.url))
  const holder = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const other = spawn('sleep', ['60'])
  children.push(holder, other)
  await once(holder.stdout, 'data')
  const cluster = join(folder, 'postgres-18')
  const path = join(cluster, 'postmaster.pid')
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^\d+/, String(other.pid)))
  await expect(endLeftover(cluster, createLog('silent'))).rejects.toThrow(/Another PostgreSQL server works on/)
  expect(other.exitCode ?? other.signalCode).toBeNull()
})
