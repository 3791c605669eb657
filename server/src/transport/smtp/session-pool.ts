/** A pool of SMTP sessions for one server and login; mails wait in the order in which they came. */
import { SECOND } from '../../base/time/duration.ts'
import type { SmtpAnswer } from './outcome.ts'
import type { SmtpSession } from './session.ts'

/** Postfix and most providers admit 20 to 50 from one client. */
const SESSIONS_MAX = 20
/** Servers close long conversations; 100 is a usual limit. */
const MAILS_PER_SESSION_MAX = 100
/** Well under the patience of servers, so that a kept session is seldom found dead. */
const IDLE_MS = 15 * SECOND

/** Receives a session, or the reason why there is none. */
export type Waiter = (session: SmtpSession | SmtpAnswer) => void

/** `ended` is called once for each requested session, however it ends. */
export type OpenSession = (ended: () => void) => Promise<SmtpSession | SmtpAnswer>

const closing: SmtpAnswer = { kind: 'failure', failure: 'aborted', message: 'Shutting down', reached: false }

export class SmtpLane {
  readonly #openSession: OpenSession
  readonly #waiting = new Set<Waiter>()
  readonly #sessions = new Set<SmtpSession>()
  #idle: { session: SmtpSession; since: number }[] = []
  /** Opening, idle or busy. */
  #open = 0
  #opening = 0
  #closed = false

  constructor(openSession: OpenSession) {
    this.#openSession = openSession
  }

  get isEmpty(): boolean {
    return this.#open === 0 && this.#waiting.size === 0
  }

  acquire(waiter: Waiter): void {
    const session = this.#closed ? closing : this.#idleSession()
    if (session) waiter(session)
    else {
      this.#waiting.add(waiter)
      this.#grow()
    }
  }

  cancel(waiter: Waiter): void {
    this.#waiting.delete(waiter)
  }

  release(session: SmtpSession): void {
    if (!session.isOpen) this.#sessions.delete(session)
    else if (session.sent >= MAILS_PER_SESSION_MAX || this.#closed) {
      this.#sessions.delete(session)
      session.quit()
    } else {
      const waiter = this.#next()
      if (waiter) waiter(session)
      else this.#idle.push({ session, since: performance.now() })
    }
  }

  closeIdle(): void {
    const unusedSince = performance.now() - IDLE_MS
    const isOld = ({ session, since }: { session: SmtpSession; since: number }) =>
      since < unusedSince || !session.isOpen
    const old = this.#idle.filter(isOld)
    this.#idle = this.#idle.filter((entry) => !isOld(entry))
    for (const { session } of old) {
      this.#sessions.delete(session)
      if (session.isOpen) session.quit()
    }
  }

  close(): void {
    this.#closed = true
    for (let waiter = this.#next(); waiter; waiter = this.#next()) waiter(closing)
    for (const session of this.#sessions) session.close()
  }

  /** The freshest; older ones stay until they are closed. */
  #idleSession(): SmtpSession | undefined {
    for (let entry = this.#idle.pop(); entry; entry = this.#idle.pop()) {
      if (entry.session.isOpen) return entry.session
      this.#sessions.delete(entry.session)
    }
    return undefined
  }

  #next(): Waiter | undefined {
    const [waiter] = this.#waiting
    if (waiter) this.#waiting.delete(waiter)
    return waiter
  }

  /** Opens one more session for waiting mails, unless enough are being opened. The longest wait is served first. */
  #grow(): void {
    if (this.#closed || this.#waiting.size <= this.#opening || this.#open >= SESSIONS_MAX) return
    this.#open += 1
    this.#opening += 1
    const opening = this.#openSession(() => {
      this.#open -= 1
      this.#grow()
    })
    void opening.then((opened) => {
      this.#opening -= 1
      if ('kind' in opened) this.#next()?.(opened)
      else if (this.#closed) opened.close()
      else {
        this.#sessions.add(opened)
        this.release(opened)
      }
      this.#grow()
    })
  }
}
