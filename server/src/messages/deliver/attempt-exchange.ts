/** The latest request of an attempt and its reply as they are kept: cut, and without a secret. */
import type { AttemptReply, AttemptRequest } from '@postrider/contract'
import type { HttpReply, HttpRequest, MailAddress, MailRequest, Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { isSecretName, MASK, secretValues } from '../../base/secret.ts'
import { bounceTokens } from '../../providers/bounce-mails.ts'
import { secretKeys } from '../../providers/settings.ts'
import type { RouteCandidate, Routed } from '../decide/decision.ts'
import { providerOverride } from '../decide/render.ts'
import type { AttemptExchange } from '../delivery.ts'

/** A call with its inputs and its reply. */
export interface FinishedCall {
  readonly plan: Pick<Routed, 'input'> & { readonly profile?: { readonly merged: JsonObject } }
  readonly candidate: RouteCandidate
  /** As the adapter had them: with secrets, and with the `config` of an override. */
  readonly settings: JsonObject
  readonly to: unknown
  readonly callbackUrl: string | undefined
  readonly request: HttpRequest | MailRequest
  readonly reply: Reply | undefined
}

/** Enough for the fields of a request and the sentence of an error, little beside the message itself. */
const REQUEST_BODY_MAX = 4_096
const REPLY_BODY_MAX = 2_048
const URL_MAX = 500
const HEADER_MAX = 200
const HEADERS_MAX = 20
const ADDRESSES_MAX = 20

/** Requests have credentials under any name: only what is known to hold none is shown. */
const OPEN_REQUEST_HEADER =
  /^(?:accept|accept-.*|apns-.*|content-.*|date|idempotency-key|message-id|prefer|topic|ttl|urgency|user-agent|webhook-id|webhook-timestamp|x-amz-(?:date|target)|x-mailer)$/
const OPEN_REPLY_HEADER =
  /^(?:content-(?:length|type)|date|retry-after|server|x-error.*|x-message-id|.*(?:request-?id|trace-?id|correlation-?id|rate-?limit.*)|cf-ray|apns-(?:id|unique-id))$/

export function attemptExchange(call: FinishedCall): Omit<AttemptExchange, 'attempt'> {
  const { request, reply } = call
  const mask = textMask(secretsOf(call))
  const isSecretUrl = request.kind === 'http' && secretUrls(call).has(request.url)
  const messages = reply && 'batch' in reply ? reply.batch?.messages : undefined
  return {
    request: {
      ...(request.kind === 'http'
        ? httpRequest(messages === undefined ? request : partOf(request), mask, isSecretUrl)
        : mailRequest(request, mask)),
      ...(messages !== undefined && { messages }),
    },
    ...(reply && { reply: replyOf(reply, mask, request.kind === 'mail' || request.final) }),
  }
}

/** Numbers of attempts go to a hundred: the first ones, some of the others, and the one that ended the delivery. */
export const keepsExchange = (attempt: number, hasEnded: boolean): boolean =>
  hasEnded || attempt <= 5 || attempt % 10 === 0

/** The part of one message in a call with several. */
function partOf(request: HttpRequest): HttpRequest {
  const { inBatch } = request
  return inBatch ? { ...request, url: inBatch.url, headers: inBatch.headers, body: inBatch.part } : request
}

function httpRequest(request: HttpRequest, mask: TextMask, isSecretUrl: boolean): AttemptRequest {
  const { method, url, headers, body, bytes, final } = request
  return {
    protocol: 'http',
    method,
    url: isSecretUrl && URL.canParse(url) ? `${new URL(url).origin}/${MASK}` : mask(url, URL_MAX),
    headers: shownHeaders(headers, (name) => OPEN_REQUEST_HEADER.test(name), mask),
    // A request for a token is a credential as a whole.
    ...(body !== undefined && final && { body: mask(body, REQUEST_BODY_MAX) }),
    ...(body !== undefined && { body_size: body.length }),
    ...(bytes && { body_size: bytes.length }),
  }
}

function mailRequest({ server, mail }: MailRequest, mask: TextMask): AttemptRequest {
  const { from, to, cc = [], bcc = [], replyTo, subject, messageId, headers = {} } = mail
  const recipients = [...new Set([...to, ...cc, ...bcc].map(({ address }) => address))]
  const list = (addresses: readonly MailAddress[]) => addresses.slice(0, ADDRESSES_MAX).map(shownAddress).join(', ')
  const shown: Record<string, string> = {
    from: shownAddress(from),
    to: list(to),
    ...(cc.length > 0 && { cc: list(cc) }),
    ...(replyTo && { 'reply-to': list(replyTo) }),
    subject,
    'message-id': `<${messageId}>`,
  }
  return {
    protocol: 'smtp',
    url: mask(`smtp${server.security === 'tls' ? 's' : ''}://${server.host}:${server.port}`, URL_MAX),
    envelope: {
      from: mask(mail.envelopeFrom ?? from.address, HEADER_MAX),
      to: recipients.slice(0, ADDRESSES_MAX).map((address) => mask(address, HEADER_MAX)),
    },
    // The link to unsubscribe acts for the recipient.
    headers: shownHeaders({ ...shown, ...headers }, (name) => !isSecretName(name) && name !== 'list-unsubscribe', mask),
  }
}

const shownAddress = ({ name, address }: MailAddress) => (name ? `${name} <${address}>` : address)

function replyOf(reply: Reply, mask: TextMask, isFinal: boolean): AttemptReply {
  switch (reply.kind) {
    case 'http':
      return httpReply(reply, mask, isFinal)
    case 'mail':
      return {
        status: reply.code,
        body: mask(reply.response, REPLY_BODY_MAX),
        body_size: reply.response.length,
      }
    case 'failure':
      return { failure: reply.failure, error: mask(reply.message, HEADER_MAX) }
    case 'keep':
    case 'connect':
      return {}
  }
}

function httpReply({ status, headers, body }: HttpReply, mask: TextMask, isFinal: boolean): AttemptReply {
  const open = Object.entries(headers).filter(([name]) => OPEN_REPLY_HEADER.test(name))
  // A good reply to a request before the last one may be a token under any name.
  const mayBeToken = !isFinal && status < 400 && /token|secret|key/i.test(body)
  return {
    status,
    headers: shownHeaders(Object.fromEntries(open), () => true, mask),
    ...(body !== '' && !mayBeToken && { body: mask(body, REPLY_BODY_MAX) }),
    body_size: body.length,
  }
}

function shownHeaders(
  headers: Readonly<Record<string, string>>,
  isOpen: (name: string) => boolean,
  mask: TextMask,
): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers).slice(0, HEADERS_MAX)) {
    const key = name.toLowerCase()
    shown[mask(key, HEADER_MAX)] = isOpen(key) ? mask(String(value), HEADER_MAX) : MASK
  }
  return shown
}

/** Short values that are not known to be credentials would mask half of a text. */
const isLong = ({ length }: string) => length > 2

/** Every value that the provider may repeat and that must not be kept. */
function secretsOf(call: FinishedCall): string[] {
  const { plan, candidate, request, callbackUrl } = call
  const { config } = providerOverride(plan, candidate.integration.provider)
  return [
    ...storedSecrets(call),
    ...urlForms(secretUrls(call)),
    ...[...texts(config), ...secretValues(plan.input.override), ...secretValues(plan.profile?.merged)].filter(isLong),
    ...(callbackUrl === undefined ? [] : urlForms([callbackUrl])),
    ...(request.kind === 'http' ? requestSecrets(request) : serverSecrets(request)),
  ]
}

/** Secrets of the integration, and of the config of an override. */
function storedSecrets({ candidate: { integration }, settings }: FinishedCall): string[] {
  return secretKeys(integration.provider).flatMap((key) => texts([settings[key], integration.settings[key]]))
}

/** Addresses that let anyone post who knows them: of devices, of webhooks in profiles, secret ones of settings. */
function secretUrls(call: FinishedCall): Set<string> {
  const { plan, candidate, to } = call
  const device = candidate.channel === 'push' ? texts(to) : []
  const values = [...device, ...storedSecrets(call), ...secretValues(plan.profile?.merged)]
  return new Set([...device, ...values.filter((value) => /^https?:/i.test(value)).flatMap(normalForms)])
}

const normalForms = (url: string) => (URL.canParse(url) ? [url, new URL(url).href] : [url])

/** Also without its host, as peers repeat it. */
const urlForms = (urls: Iterable<string>): string[] =>
  [...urls].flatMap((url) => {
    if (!/^https?:/i.test(url) || !URL.canParse(url)) return [url]
    const { pathname, search } = new URL(url)
    return [url, `${pathname}${search}`, pathname].filter(isLong)
  })

function requestSecrets({ headers, body, final }: HttpRequest): string[] {
  const hidden = Object.entries(headers).filter(([name]) => !OPEN_REQUEST_HEADER.test(name.toLowerCase()))
  return [...hidden.flatMap(([, value]) => credentials(String(value))), ...(final ? [] : fieldValues(body))].filter(
    isLong,
  )
}

/** Whole, without the scheme before it, and the password in it. */
function credentials(value: string): string[] {
  const bare = value.slice(value.indexOf(' ') + 1)
  const [, login = ''] = /^Basic (.+)$/i.exec(value) ?? []
  const decoded = Buffer.from(login, 'base64').toString()
  return [value, bare, decoded, decoded.slice(decoded.indexOf(':') + 1)]
}

/** The token of a bounce address, too: a report to it is believed. */
const serverSecrets = ({ server: { password, accessToken }, mail }: MailRequest) =>
  texts([password, accessToken, ...bounceTokens(mail)])

/** Values of a form: assertions, passwords, tokens for renewal. Words of the protocol are shorter. */
const fieldValues = (body = ''): string[] =>
  [...new URLSearchParams(body).values()].filter(({ length }) => length >= 16)

/** The texts and numbers in a value, at any depth. */
function texts(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value === 'number') return [String(value)]
  if (depth > 40 || Buffer.isBuffer(value)) return []
  if (Array.isArray(value)) return value.flatMap((item) => texts(item, depth + 1))
  return isObject(value) ? Object.values(value).flatMap((item) => texts(item, depth + 1)) : []
}

/** The masked beginning of a text, of at most `charactersMax`. */
export type TextMask = (text: string, charactersMax: number) => string

/** No message has more; with more, nothing of a text is kept. */
const VALUES_MAX = 1_000

const CHARACTERS_MAX = 256 * 1_024

export function textMask(secrets: Iterable<string>): TextMask {
  const values = new Set<string>()
  let characters = 0
  for (const secret of secrets) {
    characters += secret.length
    if (values.size > VALUES_MAX || characters > CHARACTERS_MAX) return () => MASK
    for (const form of encodings(secret)) values.add(form)
  }
  // Longer ones first: a value that is part of another would leave the rest of that one readable.
  const ordered = [...values].sort((left, right) => right.length - left.length)
  const longest = ordered[0]?.length ?? 0
  const withoutKnown = (text: string) => {
    let masked = text
    for (const value of ordered) masked = masked.replaceAll(value, MASK)
    return masked
  }
  return (text, charactersMax) => {
    if (text.length <= charactersMax + longest) return tidied(withoutKnown(text), charactersMax)
    // The end may be the beginning of a secret: it is dropped as far as one could reach.
    const masked = withoutKnown(text.slice(0, charactersMax + longest))
    return tidied(masked.slice(0, masked.length - longest), charactersMax)
  }
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** As it stands, in JSON (in text of JSON, too), in a URL, in a form, and in base64. */
function encodings(value: string): string[] {
  if (value === '') return []
  const whole = value.toWellFormed()
  const inForm = new URLSearchParams({ v: whole }).toString().slice(2)
  const bytes = Buffer.from(whole)
  return [
    ...[value, inJson(value), inJson(inJson(value)), encodeURIComponent(whole), inForm],
    ...(value.length > 3 ? [bytes.toString('base64'), bytes.toString('base64url')] : []),
  ]
}

const JSON_FIELD = /"([^"\\]{1,64})"(\s*:\s*)"((?:[^"\\]|\\.)*)/g

const JSON_FIELD_IN_TEXT = /\\"([^"\\]{1,64})\\"(\s*:\s*)\\"([^"\\]*)/g

const FORM_FIELD = /(^|[?&])([^=&?\s"]{1,64})=([^&#\s"]+)/g

const SCHEME = /\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi

const SIGNED_TOKEN = /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g

/** Parameters of an address that stand for a login. */
const isCredential = (name: string) => isSecretName(name) || /^(?:key|sig|signature|auth|code|assertion)$/i.test(name)

function tidied(text: string, charactersMax: number): string {
  const masked = text
    .replace(SCHEME, `$1 ${MASK}`)
    .replace(SIGNED_TOKEN, MASK)
    .replace(JSON_FIELD, (all, name: string, colon: string) => (isSecretName(name) ? `"${name}"${colon}"${MASK}` : all))
    .replace(JSON_FIELD_IN_TEXT, (all, name: string, colon: string) =>
      isSecretName(name) ? `\\"${name}\\"${colon}\\"${MASK}` : all,
    )
    .replace(FORM_FIELD, (all, before: string, name: string) => (isCredential(name) ? `${before}${name}=${MASK}` : all))
    .replaceAll('\r', '')
    .replace(/(?![\n\t])\p{Cc}/gu, '\uFFFD')
  return masked.slice(0, charactersMax).toWellFormed()
}
