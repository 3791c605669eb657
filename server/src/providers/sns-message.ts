/** Callbacks by Amazon SNS over HTTPS: verified with the certificate of the service, and subscriptions confirmed. */
import { verify, X509Certificate } from 'node:crypto'
import type { HttpRequest, Reply } from '../base/exchange.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { DAY, HOUR, SECOND } from '../base/time/duration.ts'
import {
  accepted,
  type CallbackOutcome,
  type CallbackReading,
  type CallbackRequest,
  isExpired,
  readJson,
  refused,
} from './callback.ts'

/** The fields in the order in which they are signed: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html */
const CONTROL = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
const SIGNED: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', CONTROL],
  ['UnsubscribeConfirmation', CONTROL],
])

const DIGESTS: ReadonlyMap<unknown, string> = new Map([
  ['1', 'sha1'],
  ['2', 'sha256'],
])

/** SNS repeats a message for an hour at most, with the time and the signature of the first: https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html */
const REPEATED_MS = HOUR

/**
 * Any account can publish by SNS, so that its signature says only who delivers: the topic has to be the one of the
 * integration, too. `outcomeOf` reads the event in a notification.
 */
export function* readSnsMessage(
  { body, now }: CallbackRequest,
  topicArn: string | undefined,
  outcomeOf: (event: JsonObject) => CallbackOutcome,
): CallbackReading {
  if (!topicArn) return refused('The integration has no topicArn to verify callbacks with')
  const message = readJson(body)
  if (!isObject(message) || !SIGNED.has(message.Type))
    return refused('The body is not a message of SNS: turn raw message delivery off')
  if (message.TopicArn !== topicArn) return refused('The message is of another topic')
  if (isExpired(Date.parse(String(message.Timestamp)) / SECOND, now, REPEATED_MS + DELAY_MS))
    return refused('The signature has expired')
  const address = snsAddress(message.SigningCertURL)
  if (!address) return refused('The certificate is not at an address of SNS')
  const error = signatureError(message, yield certificateRequest(address))
  if (error) return refused(error)
  if (message.Type === 'SubscriptionConfirmation') return yield* confirm(message.SubscribeURL)
  const event = message.Type === 'Notification' ? readJson(String(message.Message)) : undefined
  return isObject(event) ? outcomeOf(event) : accepted([])
}

/** The last repetition may take its time. */
const DELAY_MS = HOUR / 12

function signatureError(message: JsonObject, reply: Reply): string | undefined {
  if (reply.kind === 'failure') return `The certificate could not be fetched: ${reply.failure}`
  const publicKey = reply.kind === 'http' && reply.status === 200 ? publicKeyOf(reply.body) : undefined
  if (!publicKey) return 'The certificate could not be read'
  const { Type: type, SignatureVersion: version, Signature: signature } = message
  const digest = DIGESTS.get(version)
  if (typeof signature !== 'string' || digest === undefined) return 'The callback is not signed'
  const signed = (SIGNED.get(type) ?? []).map((field) =>
    typeof message[field] === 'string' ? `${field}\n${message[field]}\n` : '',
  )
  const isRight = verify(digest, Buffer.from(signed.join('')), publicKey, Buffer.from(signature, 'base64'))
  return isRight ? undefined : 'The signature is wrong'
}

function publicKeyOf(certificate: string) {
  try {
    return new X509Certificate(certificate).publicKey
  } catch {
    return undefined
  }
}

/** A subscription sends nothing until its address is requested; SNS repeats the message when that failed. */
function* confirm(subscribeUrl: unknown): Generator<HttpRequest, CallbackOutcome, Reply> {
  const address = snsAddress(subscribeUrl)
  if (!address) return refused('The subscription is not at an address of SNS')
  const reply = yield get(address)
  const isConfirmed = reply.kind === 'http' && reply.status === 200
  return isConfirmed ? accepted([]) : refused('The subscription could not be confirmed')
}

/** Undefined for any other host: its certificate would prove nothing. */
function snsAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  const { href, protocol, host, username, password } = new URL(value)
  const isOpen = username === '' && password === ''
  return protocol === 'https:' && isOpen && HOST.test(host) ? href : undefined
}

const HOST = /^sns\.[a-z]{2}(?:-[a-z]{1,12}){1,3}-[0-9]{1,2}\.amazonaws\.com(?:\.cn)?$/

const get = (url: string): HttpRequest => ({ kind: 'http', method: 'GET', url, headers: {}, final: false })

/** A certificate has an address of its own, and does not change. */
const certificateRequest = (url: string): HttpRequest => ({
  ...get(url),
  cache: { key: 'aws-sns:certificate', lifetimeMs: DAY, containing: 'BEGIN CERTIFICATE' },
})
