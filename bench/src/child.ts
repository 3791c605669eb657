/** Child processes that are called by name: everything that costs time in a measurement runs in one of its own. */
import { fork } from 'node:child_process'

export interface Child {
  pid: number
  call<Answer>(name: string, argument?: unknown): Promise<Answer>
  stop(): Promise<void>
}

interface Call {
  id: number
  name: string
  argument: unknown
}

type Answer = { id: number; value: unknown } | { id: number; error: string }

export function startChild(file: URL, nodeFlags: readonly string[] = []): Child {
  const child = fork(file, {
    execArgv: [...nodeFlags],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let calls = 0
  child.on('message', (message) => {
    const answer = message as Answer
    const settle = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('error' in answer) settle?.reject(new Error(answer.error))
    else settle?.resolve(answer.value)
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      for (const { reject } of waiting.values()) reject(new Error(`${file.pathname} ended with ${signal ?? code}`))
      resolve()
    })
  })
  return {
    pid: child.pid ?? 0,
    call: <T>(name: string, argument?: unknown) =>
      new Promise<T>((resolve, reject) => {
        const id = (calls += 1)
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
        child.send({ id, name, argument } satisfies Call)
      }),
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

// biome-ignore lint/suspicious/noConfusingVoidType: an answer may be nothing
type Answering = (argument: never) => Promise<unknown> | unknown | void

/** The child's side; it ends with its parent. */
export function serveCalls(answers: Record<string, Answering>): void {
  process.on('disconnect', () => process.exit())
  process.on('message', async (message) => {
    const { id, name, argument } = message as Call
    try {
      const value = await answers[name]?.(argument as never)
      process.send?.({ id, value } satisfies Answer)
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
}
