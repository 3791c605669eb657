/**
 * A killed process leaves no server and no folder behind for good, and what it left is ended only when it is known to
 * be its own.
 * @module-tag safety
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createLog } from '@postrider/server/internal/base/log'
import { openLocal } from '@postrider/server/internal/database/local/local'
import { endLeftover } from '@postrider/server/internal/database/local/postmaster'
import { afterEach, expect, test } from 'vitest'
import { newDataFolder } from '../support/databases.ts'
import { until } from '../support/until.ts'
import { processes } from './processes.ts'

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function hold(folder: string, ...failpoint: string[]): ChildProcess & { stdout: NonNullable<ChildProcess['stdout']> } {
  const script = fileURLToPath(new URL('../dist/local/holder.js', import.meta.url))
  const child = spawn(process.execPath, [script, folder, ...failpoint], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  return child
}

test('a number that is another process here, as of a server in another container, is not signaled', async () => {
  const folder = await newDataFolder()
  const holder = hold(folder)
  const other = spawn('sleep', ['60'])
  children.push(holder, other)
  await once(holder.stdout, 'data')
  const cluster = join(folder, 'postgres-18')
  const path = join(cluster, 'postmaster.pid')
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^\d+/, String(other.pid)))
  await expect(endLeftover(cluster, createLog('silent'))).rejects.toThrow(/Another PostgreSQL server works on/)
  expect(other.exitCode ?? other.signalCode).toBeNull()
})

test('a process that is killed before its server has a watcher leaves no server', async () => {
  const folder = await newDataFolder()
  const cluster = join(folder, 'postgres-18')
  const holder = hold(folder, 'before-database-watcher')
  await once(holder, 'exit')
  expect(holder.signalCode).toBe('SIGKILL')
  // A server that was started would be ready by then.
  await pause(1_000)
  expect(processes().filter(({ command }) => command.includes(cluster))).toEqual([])
  expect(existsSync(join(cluster, 'postmaster.pid'))).toBe(false)
  const engine = await openLocal({ folder, log: createLog('silent') })
  await engine.close()
})

test('a first start that is killed while initdb runs is followed by one that leaves nothing half-made', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-first-start-'))
  try {
    const holder = hold(folder)
    const unfinished = () => readdirSync(folder).filter((name) => /^new-[0-9a-f]{8}$/.test(name))
    await until(
      async () => unfinished().some((name) => existsSync(join(folder, name, 'base'))),
      (hasStarted) => hasStarted,
    )
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    expect(unfinished()).toHaveLength(1)
    const engine = await openLocal({ folder, log: createLog('silent') })
    await engine.close()
    expect(readdirSync(folder).filter((name) => name.startsWith('new-'))).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
})
