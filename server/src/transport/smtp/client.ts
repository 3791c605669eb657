/** Sends built mails over pooled SMTP sessions; every failure is a value. */
import { hash } from 'node:crypto'
import type { SmtpServer } from '../../base/exchange.ts'
import type { BuiltMail } from '../../base/mime/mime.ts'
import { SECOND } from '../../base/time/duration.ts'
import type { AddressGuard } from '../address-guard.ts'
import { Limit, type Limits } from '../time-limit.ts'
import { openSession, type SmtpAnswer, type SmtpSession } from './session.ts'

export interface SmtpClient {
  send(server: SmtpServer, mail: BuiltMail, limits: Limits): Promise<SmtpAnswer>
  /** Opens a session of its own as for a mail, and leaves. */
  signIn(server: SmtpServer): Promise<SmtpAnswer>
  close(): Promise<void>
}

export function smtpClient(addresses: AddressGuard, authorities?: string[]): SmtpClient {
  const pools = new Map<string, SessionPool>()
  const closing = new AbortController()
  const { signal } = closing

  const sweep = setInterval(() => {
    for (const [key, pool] of pools) {
      pool.closeIdle()
      if (pool.isEmpty) pools.delete(key)
    }
  }, 5 * SECOND)
  sweep.unref()

  return {
    send(server, mail, limits) {
      const key = poolKey(server)
      let pool = pools.get(key)
      if (!pool) {
        pool = new SessionPool((ended) => openSession({ addresses, server, authorities, signal, ended }))
        pools.set(key, pool)
      }
      return deliver(pool, server.host, mail, limits)
    },
    async signIn(server) {
      const session = await openSession({ addresses, server, authorities, signal, ended: () => undefined })
      if ('kind' in session) return session
      session.quit()
      return { kind: 'mail', code: 250, response: 'ready for mail' }
    },
    async close() {
      clearInterval(sweep)
      closing.abort()
      for (const pool of pools.values()) pool.close()
    },
  }
}

function deliver(pool: SessionPool, host: string, mail: BuiltMail, limits: Limits): Promise<SmtpAnswer> {
  return new Promise((resolve) => {
    let current: SmtpSession | undefined
    let settled = false
    const settle = (answer: SmtpAnswer) => {
      if (settled) return
      settled = true
      bound.end()
      resolve(answer)
    }
    const begin: Waiter = (session) => {
      if ('kind' in session) return settle(session)
      current = session
      const isUsed = session.sent > 0
      void session.send(mail).then((answer) => {
        current = undefined
        const again = isUsed && !settled && wasStale(answer, session)
        pool.release(session)
        if (again) pool.acquire(begin)
        else settle(answer)
      })
    }
    const bound = new Limit(limits, {
      cut(failure, message) {
        pool.cancel(begin)
        settle({ kind: 'failure', failure, message: `${host}: ${message}`, reached: current?.reached ?? false })
        current?.close()
      },
    })
    pool.acquire(begin)
  })
}

/** The server had closed a kept session: the mail never left, so another session may try at once. */
function wasStale(answer: SmtpAnswer, session: SmtpSession): boolean {
  if (session.reached || session.isOpen) return false
  return answer.kind === 'failure' ? answer.failure === 'reset' : answer.code === 421
}

/** Hashed, because it holds the password, or the token. */
function poolKey({ host, port, security, user, password, accessToken }: SmtpServer): string {
  return hash('sha256', JSON.stringify([host, port, security, user, password, accessToken]))
}

/** Postfix and most providers admit 20 to 50 from one client. */
const SESSIONS_MAX = 20
/** Servers close long sessions; 100 mails is a usual limit. */
const MAILS_PER_SESSION_MAX = 100
/** Shorter than the idle time of servers, so that a kept session is seldom closed by them. */
const IDLE_MS = 15 * SECOND

/** Receives a session, or the reason why there is none. */
type Waiter = (session: SmtpSession | SmtpAnswer) => void

/** `ended` is called once for each requested session, however it ends. */
type OpenSession = (ended: () => void) => Promise<SmtpSession | SmtpAnswer>

const shutDown: SmtpAnswer = { kind: 'failure', failure: 'aborted', message: 'Shutting down', reached: false }

class SessionPool {
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
    const session = this.#closed ? shutDown : this.#idleSession()
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
    for (let waiter = this.#next(); waiter; waiter = this.#next()) waiter(shutDown)
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
