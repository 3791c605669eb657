/** LMTP (RFC 2033): a mail server hands over the mails to bounce addresses, and each is taken when its receipts are on disk. */
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { SecretKey } from '../base/secret.ts'
import type { Clock } from '../base/time/clock.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import { receiptsInsert } from '../database/tables/messages/receipts.ts'
import { isKeepable, unrecognizedBounceInsert } from '../database/tables/messages/unrecognized-bounces.ts'
import { readBounceAddress } from './bounce-address.ts'
import { newReceipt } from './callback.ts'
import { readInboundMail } from './inbound-mail.ts'
import { REPORT_BYTES_MAX } from './parsed-mail.ts'
import { newUnrecognizedBounce } from './unrecognized-mail.ts'

export interface LmtpOptions {
  host: string
  port: number
  engine: Engine
  secretKey: SecretKey
  clock: Clock
  log: Log
  metrics: Pick<Metrics, 'inboundMails'>
  /** Called after a commit: there are receipts to apply. */
  wake(): void
}

export interface LmtpListener {
  /** The one that the system chose where the configured one is 0. */
  port: number
  /** Sessions in progress get some seconds. */
  close(): Promise<void>
}

/** A bounce may return the whole mail, and a refused bounce is lost. Only its beginning is kept. */
const MAIL_BYTES_MAX = 50 * 1_048_576
/** Postfix opens 20 to one destination. */
const CONNECTIONS_MAX = 50
/** A bounce has one recipient. */
const RECIPIENTS_MAX = 100
const IDLE_MS = 2 * MINUTE
const CLOSE_MS = 2 * SECOND

/** Throws the error of listening. */
export async function listenLmtp(options: LmtpOptions): Promise<LmtpListener> {
  const { host, port, log, secretKey, metrics } = options
  const server = new SMTPServer({
    ...{ lmtp: true, logger: false, authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'] },
    ...{ disableReverseLookup: true, hideENHANCEDSTATUSCODES: false, banner: 'Postrider' },
    ...{ size: MAIL_BYTES_MAX, maxClients: CONNECTIONS_MAX, maxRecipients: RECIPIENTS_MAX },
    ...{ socketTimeout: IDLE_MS, closeTimeout: CLOSE_MS },
    onRcptTo({ address }, _session, done) {
      if (readBounceAddress(secretKey, address)) return done()
      metrics.inboundMails.inc({ outcome: 'refused' })
      // The same for every other address: the answer says nothing about messages.
      done(answer(550, 'No such mailbox'))
    },
    onData(stream, session, done) {
      receive(stream, session, options).then(
        () => done(),
        (error: unknown) => {
          log[failureLevel(error)](
            { event: 'mail.not_stored', err: error },
            'the receipts of a mail could not be stored',
          )
          metrics.inboundMails.inc({ outcome: 'failed' })
          done(answer(451, 'Try again later'))
        },
      )
    },
  })
  // Errors of single connections, such as a reset, end with them.
  server.on('error', (error) => log.debug({ event: 'mail.connection_lost', err: error }, 'an LMTP connection ended'))
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject)
    server.listen(port, host, () => {
      server.server.off('error', reject)
      resolve()
    })
  })
  const address = server.server.address()
  const listening = typeof address === 'object' && address ? address.port : port
  log.info({ event: 'lmtp.listening', host, port: listening }, 'takes bounces by LMTP')
  return { port: listening, close: () => new Promise((resolve) => server.close(() => resolve())) }
}

const answer = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })

/** Resolves when the receipts are committed. A mail that is no report is taken, too: to refuse it would make a new mail. */
async function receive(
  stream: SMTPServerDataStream,
  { envelope }: SMTPServerSession,
  { engine, secretKey, clock, log, metrics, wake }: LmtpOptions,
): Promise<void> {
  const raw = await readBegin(stream)
  // It is refused by its size.
  if (stream.sizeExceeded) return
  const now = clock.now()
  const mail = await readInboundMail(
    secretKey,
    raw,
    {
      recipients: envelope.rcptTo.map(({ address }) => address),
      ...(envelope.mailFrom && { sender: envelope.mailFrom.address }),
    },
    now,
  )
  if (mail.kind === 'ignored') {
    log.info({ event: 'mail.ignored', reason: mail.reason }, 'a mail was ignored')
    const bounce = mail.unrecognized && newUnrecognizedBounce(mail.unrecognized, now)
    const isKept = bounce !== undefined && (await isKeepable(engine, bounce))
    if (isKept) await engine.batch([unrecognizedBounceInsert(bounce)])
    metrics.inboundMails.inc({ outcome: isKept ? 'unrecognized' : 'ignored' })
    return
  }
  const receipts = mail.receipts.map(({ workspaceId, receipt }) => newReceipt(workspaceId, receipt, now))
  if (receipts.length > 0) await engine.batch([receiptsInsert(receipts, now)])
  metrics.inboundMails.inc({ outcome: 'accepted' })
  wake()
}

/** The stream is read to its end, and only what a report can be in is kept. */
async function readBegin(stream: SMTPServerDataStream): Promise<Buffer> {
  const kept: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (size < REPORT_BYTES_MAX) kept.push(chunk)
    size += chunk.length
  }
  return Buffer.concat(kept)
}
