/** A run of the command in this process, for many short calls of a server; its exit code and output are those of a process. */
import { vi } from 'vitest'
import type { Run } from './run.ts'

/** Loaded from its source: the bundle runs when it is loaded. */
const source = new URL('../../cli/src/run.ts', import.meta.url).href
const { run } = (await import(source)) as { run(args: readonly string[]): Promise<number | undefined> }

/** One at a time: the output of the process is captured meanwhile. */
export async function inProcess(args: readonly string[]): Promise<Run> {
  const output = { out: '', err: '' }
  const capture = (name: keyof typeof output) => (text: string | Uint8Array) => {
    output[name] += String(text)
    return true
  }
  const before = process.exitCode
  const writes = [
    vi.spyOn(process.stdout, 'write').mockImplementation(capture('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(capture('err')),
  ]
  process.exitCode = 0
  try {
    const code = await run(args)
    return { code: code ?? Number(process.exitCode), ...output }
  } finally {
    for (const write of writes) write.mockRestore()
    process.exitCode = before
  }
}
