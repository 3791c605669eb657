/** Checks of integrations that send nothing: a sign-in, a harmless authorized call, or a connection. */
import type { HttpRequest, Reply } from '../base/exchange.ts'
import { byStatus, type Reading, tidy } from './outcome.ts'
import type { SignIn } from './provider.ts'
import { webAddress } from './web-address.ts'

/** An authorized request that changes nothing. */
export const httpSignIn = (
  request: Omit<HttpRequest, 'kind' | 'final'>,
  reading: Reading,
  faultIn: (reply: Reply) => string | undefined = () => undefined,
): SignIn => ({
  request: { kind: 'http', ...request, final: false },
  faultIn(reply) {
    const trouble = byStatus(reply, 0, { ...reading, final: false })
    return trouble ? trouble.error : faultIn(reply)
  },
})

/** Where a request without a message would mean something: only a connection. Undefined without an address. */
export function connection(address: unknown): SignIn | undefined {
  const url = webAddress(address)
  if (url === undefined) return undefined
  const { hostname: host, port, protocol } = new URL(url)
  const encrypted = protocol === 'https:'
  return {
    request: { kind: 'connect', host, port: Number(port) || (encrypted ? 443 : 80), encrypted },
    faultIn: failureOf,
  }
}

export const failureOf = (reply: Reply): string | undefined =>
  reply.kind === 'failure' ? tidy(`${reply.failure}: ${reply.message}`) : undefined
