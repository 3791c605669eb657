/** The request of an attempt and its reply as text, as they stand in the protocol: to read and to copy. */
import type { AttemptReply, AttemptRequest } from '@postrider/client'

const lines = (headers: Readonly<Record<string, string>> = {}) =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

/** Laid out where it is whole JSON. */
function laidOut(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const withBody = (head: readonly string[], body: string | undefined) =>
  [head.join('\n'), ...(body ? [laidOut(body)] : [])].join('\n\n')

export function requestText({ protocol, method, url, envelope, headers, body }: AttemptRequest): string {
  if (protocol === 'http') return withBody([[method, url].filter(Boolean).join(' '), ...lines(headers)], body)
  const { from = '', to = [] } = envelope ?? {}
  return [url, `MAIL FROM:<${from}>`, ...to.map((address) => `RCPT TO:<${address}>`), '', ...lines(headers)].join('\n')
}

export function replyText({ status, headers, body, failure, error }: AttemptReply): string {
  if (failure !== undefined) return [failure, error].filter(Boolean).join(': ')
  // The text of an SMTP reply begins with its code.
  if (body?.startsWith(`${status} `)) return body
  const head = [...(status === undefined ? [] : [String(status)]), ...lines(headers)]
  return withBody(head, body)
}

/** Characters that are shown, and all of them; undefined where nothing is left out. */
export function cutOf({ body, body_size: size }: Pick<AttemptRequest, 'body' | 'body_size'>) {
  return body !== undefined && size !== undefined && body.length < size && body.length >= SHORTEST_CUT
    ? { shown: body.length, all: size }
    : undefined
}
/** Masks make a whole body shorter; the server cuts only longer ones. */
const SHORTEST_CUT = 2_000
