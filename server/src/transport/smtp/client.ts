/** Sends built mails over pooled SMTP sessions; every failure is a value. */
import { hash } from 'node:crypto'
import type { SmtpServer } from '../../base/exchange.ts'
import { SECOND } from '../../base/time/duration.ts'
import type { AddressGuard } from '../address-guard.ts'
import type { BuiltMail } from '../mime/mime.ts'
import { Limit, type Limits } from '../time-limit.ts'
import { openSession } from './handshake.ts'
import type { SmtpAnswer } from './outcome.ts'
import type { SmtpSession } from './session.ts'
import { SmtpLane, type Waiter } from './session-pool.ts'

export interface SmtpClient {
  send(server: SmtpServer, mail: BuiltMail, limits: Limits): Promise<SmtpAnswer>
  /** Opens a session of its own as for a mail, and leaves. */
  signIn(server: SmtpServer): Promise<SmtpAnswer>
  close(): Promise<void>
}

export function smtpClient(addresses: AddressGuard, authorities?: string[]): SmtpClient {
  const lanes = new Map<string, SmtpLane>()

  const sweep = setInterval(() => {
    for (const [key, lane] of lanes) {
      lane.closeIdle()
      if (lane.isEmpty) lanes.delete(key)
    }
  }, 5 * SECOND)
  sweep.unref()

  return {
    send(server, mail, limits) {
      const key = laneKey(server)
      let lane = lanes.get(key)
      if (!lane) lanes.set(key, (lane = new SmtpLane((ended) => openSession(addresses, server, authorities, ended))))
      return deliver(lane, server.host, mail, limits)
    },
    async signIn(server) {
      const session = await openSession(addresses, server, authorities, () => undefined)
      if ('kind' in session) return session
      session.quit()
      return { kind: 'mail', code: 250, response: 'ready for mail' }
    },
    async close() {
      clearInterval(sweep)
      for (const lane of lanes.values()) lane.close()
    },
  }
}

function deliver(lane: SmtpLane, host: string, mail: BuiltMail, limits: Limits): Promise<SmtpAnswer> {
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
        lane.release(session)
        if (again) lane.acquire(begin)
        else settle(answer)
      })
    }
    const bound = new Limit(limits, {
      cut(failure, message) {
        lane.cancel(begin)
        settle({ kind: 'failure', failure, message: `${host}: ${message}`, reached: current?.reached ?? false })
        current?.close()
      },
    })
    lane.acquire(begin)
  })
}

/** The server had closed a kept session: the mail never left, so another session may try at once. */
function wasStale(answer: SmtpAnswer, session: SmtpSession): boolean {
  if (session.reached || session.isOpen) return false
  return answer.kind === 'failure' ? answer.failure === 'reset' : answer.code === 421
}

/** Hashed, because it holds the password. */
function laneKey({ host, port, security, user, password }: SmtpServer): string {
  return hash('sha256', JSON.stringify([host, port, security, user, password]))
}
