/** Ends the PostgreSQL server when this process dies, however it dies: a shell that waits for the end of a pipe. */
import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Log } from '../../base/log.ts'
import { searchPath } from './environment.ts'

export interface Watcher {
  /** The server has ended: its number may soon be another process's. */
  dismiss(): void
}

// Fast shutdown first; after a second at once, so that nothing is left two seconds after our end.
const SCRIPT = `
trap '' HUP INT TERM
while read -r line; do :; done
kill -INT "$1" || exit 0
for i in 1 2 3 4 5 6 7 8 9 10; do
  sleep 0.1
  kill -0 "$1" || exit 0
done
kill -QUIT "$1"`

/** Where no process can be started, trying without a pause would not help. */
const RESTART_PAUSE_MS = 200

/** A watcher that is killed is started again. On Windows, which has no such shell, the next start ends what is left. */
export function startWatcher(pid: number, log: Log): Watcher {
  let current: ChildProcess | undefined
  let dismissed = false
  const startAgain = () => {
    setTimeout(() => dismissed || start(), RESTART_PAUSE_MS).unref()
  }
  const start = () => {
    const child = spawn('/bin/sh', ['-c', SCRIPT, 'postrider-watcher', String(pid)], {
      cwd: '/',
      env: { PATH: searchPath() },
      // Ctrl+C in the terminal must not end it before us.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.stdin?.on('error', () => undefined)
    if (child.stdin instanceof Socket) child.stdin.unref()
    child.unref()
    child.once('error', (error) => {
      log.warn({ event: 'database.unwatched', err: error }, 'if this process is killed, its PostgreSQL server goes on')
      startAgain()
    })
    child.once('exit', startAgain)
    current = child
  }
  if (process.platform !== 'win32') start()
  return {
    dismiss() {
      dismissed = true
      current?.kill('SIGKILL')
    },
  }
}
