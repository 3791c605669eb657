/** Signing in to an SMTP server (RFC 4954), by the first method that both sides know. */
import { createHmac } from 'node:crypto'
import type { SmtpWire } from './connection.ts'
import type { SmtpReply } from './replies.ts'

export interface Credentials {
  user: string
  password: string
}

/** The answer to each challenge; the first line comes before any. */
type Method = readonly ((credentials: Credentials, challenge: string) => string)[]

const base64 = (text: string) => Buffer.from(text).toString('base64')

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['PLAIN', [({ user, password }) => `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`]],
  ['LOGIN', [() => 'AUTH LOGIN', ({ user }) => base64(user), ({ password }) => base64(password)]],
  [
    'CRAM-MD5',
    [
      () => 'AUTH CRAM-MD5',
      ({ user, password }, challenge) => {
        const digest = createHmac('md5', password).update(Buffer.from(challenge, 'base64')).digest('hex')
        return base64(`${user} ${digest}`)
      },
    ],
  ],
])

/** The last reply, a yes when signed in; undefined when the connection ended. */
export async function login(
  wire: SmtpWire,
  offered: readonly string[],
  credentials: Credentials,
): Promise<SmtpReply | undefined> {
  // Without a common method, the server's reply to the usual one is the clearest error.
  const name = [...METHODS.keys()].find((method) => offered.includes(method)) ?? 'PLAIN'
  let reply: SmtpReply | undefined
  for (const line of METHODS.get(name) ?? []) {
    const challenge = reply?.text.slice('334 '.length) ?? ''
    ;[reply] = await wire.exchange(line(credentials, challenge))
    if (reply?.code !== 334) break
  }
  return reply
}
