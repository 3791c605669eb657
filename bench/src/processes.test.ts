/** Figures of process groups: descendants, processes found by their command line, and what ended processes used. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { groupCpuMicroseconds, groupMemory } from './processes.ts'

const onLinux = test.runIf(process.platform === 'linux')
const started: ChildProcess[] = []

afterEach(async () => {
  for (const child of started.splice(0)) {
    const ended = once(child, 'close')
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await ended
  }
})

/** Resolves when it has written its first line. Its group ends with the test. */
async function run(script: string, ...args: string[]): Promise<ChildProcess & { pid: number }> {
  const child = spawn('sh', ['-c', script, 'sh', ...args], { stdio: ['pipe', 'pipe', 'ignore'], detached: true })
  started.push(child)
  await once(child.stdout, 'data')
  return child as unknown as ChildProcess & { pid: number }
}

const BURN = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'

onLinux('the CPU of a child that ended stays in the figure', async () => {
  const { pid } = await run(`sh -c '${BURN}'; echo done; read x`)
  expect(groupCpuMicroseconds({ pid })).toBeGreaterThanOrEqual(50_000)
})

onLinux('a process without a parent in the group is found by its command line, with its children', async () => {
  const name = `bench-group-${process.pid}-${Date.now()}`
  expect(groupMemory({ commandPart: name })).toBeNaN()
  await run('sleep 60 & echo ready; wait', name)
  const alone = groupMemory({ commandPart: name })
  expect(alone).toBeGreaterThan(0)
  expect(groupCpuMicroseconds({ commandPart: name })).toBeLessThan(1_000_000)
})

onLinux('the memory of a descendant is part of the figure', async () => {
  const program = 'const held = Buffer.alloc(100e6, 1); console.log(held.length); process.stdin.resume()'
  const { pid } = await run(`${process.execPath} -e '${program}'; true`)
  expect(groupMemory({ pid })).toBeGreaterThan(95)
  expect(groupMemory({ pid })).toBeLessThan(250)
})
