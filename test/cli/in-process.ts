/** A run of the command in this process, for many short calls of a server; its exit code and output are those of a process. */
import { vi } from 'vitest'
import { jsonOf, type Run, type RunOptions, run as runProcess } from './run.ts'

/** Loaded from its source: the bundle runs when it is loaded. */
const source = new URL('../../cli/src/run.ts', import.meta.url).href
const command = (await import(source)) as { run(args: readonly string[]): Promise<number | undefined> }

/** One at a time: the environment and the output of the process are those of the run meanwhile. With input it is a process. */
export async function run(args: string[], options: RunOptions = {}): Promise<Run> {
  if (options.input !== undefined) return runProcess(args, options)
  const output = { out: '', err: '' }
  const capture = (name: keyof typeof output) => (text: string | Uint8Array) => {
    output[name] += String(text)
    return true
  }
  const { env, exitCode } = process
  const writes = [
    vi.spyOn(process.stdout, 'write').mockImplementation(capture('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(capture('err')),
  ]
  process.exitCode = 0
  process.env = { ...env, ...options.env }
  try {
    const code = await command.run(args)
    return { code: code ?? Number(process.exitCode), ...output }
  } finally {
    for (const write of writes) write.mockRestore()
    process.exitCode = exitCode
    process.env = env
  }
}

export const json = jsonOf(run)
