/** One run of the command as a process, with its output and its exit code. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nodeFlags } from '../support/process.ts'

export interface Run {
  code: number
  out: string
  err: string
}

export interface RunOptions {
  env?: Record<string, string>
  input?: string
  /** Below the limit of a test, so that none leaves a process behind. */
  timeoutMs?: number
  /** How many files the process may hold open. */
  openFilesMax?: number
}

const script = fileURLToPath(new URL('../../cli/dist/postrider.js', import.meta.url))

/** The environment holds PATH, HOME and what is given. */
export async function run(args: string[], options: RunOptions = {}): Promise<Run> {
  const { child, output, ended } = start(args, options)
  child.stdin.end(options.input)
  return { code: await ended, ...output }
}

export interface Started {
  child: ChildProcessWithoutNullStreams
  /** Grows while the process runs. */
  output: { out: string; err: string }
  /** The exit code. */
  ended: Promise<number>
}

/** A run whose input stays open, to be written to and interrupted. */
export function start(
  args: string[],
  { env = {}, timeoutMs = 50_000, openFilesMax }: Omit<RunOptions, 'input'> = {},
): Started {
  const command = [process.execPath, ...nodeFlags, script, ...args]
  const limited =
    openFilesMax === undefined ? command : ['sh', '-c', `ulimit -n ${openFilesMax}; exec "$@"`, 'sh', ...command]
  const [file = '', ...rest] = limited
  const child = spawn(file, rest, {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  const output = { out: '', err: '' }
  for (const [stream, name] of [
    [child.stdout, 'out'],
    [child.stderr, 'err'],
  ] as const)
    stream.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  child.stdin.on('error', () => undefined)
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? -1))
  })
  return { child, output, ended }
}

type Runner<Options> = (args: string[], options?: Options) => Promise<Run>

/** The answer of a run with `--json` that must go well. */
export const jsonOf =
  <Options>(runner: Runner<Options>) =>
  async <T>(args: string[], options?: Options): Promise<T> => {
    const { code, out, err } = await runner([...args, '--json'], options)
    if (code !== 0) throw new Error(`postrider ${args.join(' ')} ended with ${code}:\n${err}`)
    return JSON.parse(out) as T
  }

export const json = jsonOf(run)
