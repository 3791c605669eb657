/** What waits for the embedded database's one connection, most urgent first. */
import type { Log } from '../../base/log.ts'
import { DatabaseUnavailable, databaseError, Overtaken, type Urgency, urgencies } from '../engine.ts'
import type { Answer, Ask } from './protocol.ts'
import { superviseThread } from './supervise.ts'

// Beyond this many waiting statements the caller is told to come back: memory stays bounded.
const WAITING_MAX = 20_000
// Two, so that the thread has the next statement at hand when it ends one.
const IN_FLIGHT_MAX = 2

type Settle = { resolve(answer: Answer): void; reject(error: unknown): void }
type Unnumbered<A> = A extends unknown ? Omit<A, 'id'> : never
type Waiting = Settle & { ask: Unnumbered<Ask> }

export interface Asks {
  /** While the thread restarts, callers hear `DatabaseUnavailable`. */
  ask(ask: Unnumbered<Ask>, urgency: Urgency): Promise<Answer>
  /** Who hears a notification, by channel. */
  readonly heard: Map<string, (payload: string) => void>
  close(): Promise<void>
}

export async function openAsks(folder: string, log: Log): Promise<Asks> {
  const queues = new Map<Urgency, Waiting[]>(urgencies.map((urgency) => [urgency, []]))
  const inFlight = new Map<number, Settle>()
  const heard = new Map<string, (payload: string) => void>()
  let waiting = 0
  let nextId = 1

  const lost = () => {
    const error = new DatabaseUnavailable('The embedded database stopped')
    for (const settle of inFlight.values()) settle.reject(error)
    inFlight.clear()
    for (const queue of queues.values()) for (const settle of queue.splice(0)) settle.reject(error)
    waiting = 0
  }
  const answer = (said: Answer) => {
    if (said.kind === 'ready') return
    if (said.kind === 'notification') {
      heard.get(said.channel)?.(said.payload)
      return
    }
    const settle = inFlight.get(said.id)
    inFlight.delete(said.id)
    pump()
    if (said.kind === 'error') settle?.reject(databaseError(Object.assign(new Error(said.message), said)))
    else if (said.kind === 'overtaken') settle?.reject(new Overtaken(said.place))
    else settle?.resolve(said)
  }
  const thread = await superviseThread(folder, { answer, lost }, log)
  const pump = () => {
    while (thread.port && waiting > 0 && inFlight.size < IN_FLIGHT_MAX) {
      const queue = urgencies.map((urgency) => queues.get(urgency)).find((candidate) => candidate?.length)
      const next = queue?.shift()
      if (!next) return
      waiting -= 1
      const id = nextId++
      inFlight.set(id, next)
      thread.port.postMessage({ ...next.ask, id })
    }
  }
  const ask = (question: Unnumbered<Ask>, urgency: Urgency): Promise<Answer> => {
    if (!thread.port) return Promise.reject(new DatabaseUnavailable('The embedded database is restarting'))
    if (waiting >= WAITING_MAX) return Promise.reject(new DatabaseUnavailable('Too many statements are waiting'))
    return new Promise((resolve, reject) => {
      queues.get(urgency)?.push({ ask: question, resolve, reject })
      waiting += 1
      pump()
    })
  }
  return {
    ask,
    heard,
    async close() {
      thread.letEnd()
      if (thread.port) await ask({ kind: 'close' }, 'maintenance')
    },
  }
}
