/** Performs the requests of adapters: the only way out of the service. Failures are values. */
import type {
  ConnectRequest,
  CopiesRequest,
  DkimSigner,
  Failure,
  HttpRequest,
  MailRequest,
  Reply,
  SignInRequest,
} from '../base/exchange.ts'
import { signedMail } from '../base/mime/dkim.ts'
import { type BuiltMail, buildMail, MailInvalid } from '../base/mime/mime.ts'
import type { Clock } from '../base/time/clock.ts'
import { SECOND } from '../base/time/duration.ts'
import { type AddressGuard, Unreachable } from './address-guard.ts'
import { type Destination, dial } from './connect.ts'
import { type BatchTerms, batchedCalls } from './http/batched-calls.ts'
import { type HttpClient, httpClient } from './http/client.ts'
import { http2Client } from './http/http2-client.ts'
import { replyCache } from './http/reply-cache.ts'
import { smtpClient } from './smtp/client.ts'
import { mailToAll, mailToCopies } from './smtp/copies.ts'
import type { Limits } from './time-limit.ts'

/** One attempt must end well before its lease (45 s) does. */
const TIMEOUT_MAX_MS = 30 * SECOND

/** `batch`: the calls that the request may share with others. */
type PerformOptions = Limits & { batch?: BatchTerms | undefined }

export interface Transport {
  perform(request: HttpRequest | MailRequest | CopiesRequest, options: PerformOptions): Promise<Reply>
  /** Shows whether a server can be reached and signed in to; nothing is sent. */
  probe(request: HttpRequest | SignInRequest | ConnectRequest, options: Limits): Promise<Reply>
  /** Ends what is in flight and closes every connection. */
  close(): Promise<void>
}

export interface TransportOptions {
  addresses: AddressGuard
  clock: Clock
  /** PEM certificates trusted instead of the public authorities. */
  authorities?: string[]
}

export function createTransport({ addresses, clock, authorities }: TransportOptions): Transport {
  const http1 = httpClient(addresses, authorities)
  const http2 = http2Client(addresses, authorities)
  // Without TLS nothing negotiates the version: a local proxy gets HTTP/1.1.
  const http: HttpClient['send'] = (request, limits) =>
    (request.protocol === 'h2' && request.url.startsWith('https:') ? http2 : http1).send(request, limits)
  const batched = batchedCalls((request, limits) =>
    limits.signal.aborted || closed ? unsent('aborted', 'Aborted') : http(request, limits),
  )
  const smtp = smtpClient(addresses, authorities)
  const cache = replyCache(clock)
  let closed = false
  return {
    perform(request, { signal, timeoutMs, batch }) {
      const totalMs = Math.min(timeoutMs, TIMEOUT_MAX_MS)
      if (signal.aborted || closed) return unsent('aborted', 'Aborted')
      if (request.kind === 'copies')
        return mailToCopies(smtp, request.server, request.mail, { signal, timeoutMs: totalMs })
      if (request.kind === 'mail') {
        const mail = built(request)
        if ('kind' in mail) return Promise.resolve(mail)
        const { server, dkim } = request
        const limits = { signal, timeoutMs: totalMs }
        if (!dkim) return mailToAll(smtp, server, mail, limits)
        return signed(mail, dkim, request.mail.date).then((ready) => mailToAll(smtp, server, ready, limits))
      }
      if (batch && request.inBatch) return batched.send(request, request.inBatch, { signal, timeoutMs: totalMs }, batch)
      return cache.through(request, (waitedMs) => {
        if (signal.aborted || closed) return unsent('aborted', 'Aborted')
        if (waitedMs >= totalMs) return unsent('timeout', `No answer within ${totalMs} ms`)
        return http(request, { signal, timeoutMs: totalMs - waitedMs })
      })
    },
    async probe(request, { signal, timeoutMs }) {
      if (signal.aborted || closed) return await unsent('aborted', 'Aborted')
      if (request.kind === 'http') return await http(request, { signal, timeoutMs })
      // Both bound themselves.
      return request.kind === 'sign-in'
        ? await smtp.signIn(request.server)
        : await connect(addresses, { ...request, authorities, signal })
    },
    async close() {
      closed = true
      await Promise.all([http1.close(), http2.close(), smtp.close()])
    },
  }
}

async function connect(addresses: AddressGuard, to: Destination): Promise<Reply> {
  try {
    const socket = await dial(addresses, to)
    socket.destroy()
    return { kind: 'connect' }
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    return failure(error.failure, error.message)
  }
}

function built(request: MailRequest): BuiltMail | Failure {
  try {
    return buildMail(request.mail)
  } catch (error) {
    if (error instanceof MailInvalid) return failure('invalid_request', error.message)
    throw error
  }
}

async function signed(mail: BuiltMail, dkim: DkimSigner, date: number): Promise<BuiltMail> {
  const [text, copies] = await Promise.all([
    signedMail(mail.text, dkim, date),
    mail.copies && signed(mail.copies, dkim, date),
  ])
  return { ...mail, text, ...(copies && { copies }) }
}

const failure = (kind: Failure['failure'], message: string): Failure => ({
  kind: 'failure',
  failure: kind,
  message,
  reached: false,
})

const unsent = (kind: Failure['failure'], message: string) => Promise.resolve(failure(kind, message))
