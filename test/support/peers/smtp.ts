/** A real SMTP server on loopback that keeps every mail, raw and parsed, and refuses or breaks off as scripted. */
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import { type Inbound, inbound } from './inbound.ts'

export interface ReceivedMail {
  /** The envelope: sender and recipients as the client gave them. */
  from: string
  to: string[]
  user?: string
  secure: boolean
  raw: string
  parsed: Email
  /** Milliseconds since the epoch, when the last line was in. */
  at: number
}

/** `code` and `text` refuse; `drop` reads to the end of the step, then cuts the connection without an answer. */
export type Rejection = { code: number; text: string } | 'drop'

export interface SmtpScript {
  /** Called with the sender of the envelope of a mail. */
  sender?: (address: string) => Rejection | undefined
  /** Called for each recipient of a mail. */
  recipient?: (address: string) => Rejection | undefined
  /** Called when a mail is complete; it is kept even when it is refused. */
  mail?: (mail: ReceivedMail) => Rejection | undefined
}

export interface SmtpSink extends Inbound<ReceivedMail> {
  port: number
  /** Replaces what was scripted before; `{}` accepts everything. */
  script(script: SmtpScript): void
  close(): Promise<void>
}

/** `user` and `password` make authentication mandatory; `tls` offers STARTTLS, or TLS at once with `secure`. */
export interface SmtpSinkOptions {
  /** Takes no addresses beyond ASCII. */
  asciiOnly?: boolean
  user?: string
  password?: string
  /** Whether an access token is good, instead of a password. */
  isTokenGood?: (token: string) => boolean
  tls?: { key: string; cert: string; secure?: boolean }
}

export async function startSmtpSink(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const kept = inbound<ReceivedMail>('mail')
  let current: SmtpScript = {}

  const server = new SMTPServer({
    ...security(options),
    hideSMTPUTF8: options.asciiOnly ?? false,
    // Nothing to wait for when a test ends.
    closeTimeout: 1,
    disableReverseLookup: true,
    onMailFrom(address, session, callback) {
      refuse(server, session, current.sender?.(address.address), callback)
    },
    onRcptTo(address, session, callback) {
      refuse(server, session, current.recipient?.(address.address), callback)
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const mail = await receive(Buffer.concat(chunks), session)
        const rejection = current.mail?.(mail)
        kept.add(mail)
        refuse(server, session, rejection, callback)
      })
    },
  })
  // Broken connections are part of the script.
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.server.address()

  return {
    ...kept,
    port: typeof address === 'object' && address ? address.port : 0,
    script(script) {
      current = script
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

function security({ user, password, isTokenGood, tls }: SmtpSinkOptions): SMTPServerOptions {
  const disabled = [...(tls ? [] : ['STARTTLS']), ...(user === undefined ? ['AUTH'] : [])]
  return {
    disabledCommands: disabled,
    authOptional: user === undefined,
    allowInsecureAuth: true,
    ...(isTokenGood && { authMethods: ['XOAUTH2'] }),
    ...(tls && { key: tls.key, cert: tls.cert, secure: tls.secure ?? false }),
    onAuth(auth, _session, callback) {
      const isGood = isTokenGood ? isTokenGood(auth.accessToken ?? '') : auth.password === password
      if (auth.username === user && isGood) callback(null, { user: auth.username })
      else callback(smtpError(535, 'Wrong user or password'))
    },
  }
}

async function receive(raw: Buffer, session: SMTPServerSession): Promise<ReceivedMail> {
  return {
    from: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
    to: session.envelope.rcptTo.map((recipient) => recipient.address),
    ...(session.user !== undefined && { user: session.user }),
    secure: session.secure,
    raw: raw.toString('utf8'),
    parsed: await PostalMime.parse(raw),
    at: Date.now(),
  }
}

function refuse(
  server: SMTPServer,
  session: SMTPServerSession,
  rejection: Rejection | undefined,
  callback: (error?: Error | null) => void,
): void {
  if (rejection === undefined) callback()
  else if (rejection !== 'drop') callback(smtpError(rejection.code, rejection.text))
  else for (const connection of server.connections) if (connection.session.id === session.id) cut(connection)
}

function cut(connection: { _socket: { destroy(): void } }): void {
  connection._socket.destroy()
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}
