/** The callbacks of every provider that has them, signed as its documentation describes it, and what each signature covers. */
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { localhost } from '@postrider/server/internal/transport/localhost-certificate.harness'

/**
 * - `all`: a change of anything that is read is refused.
 * - `joined`: not where a field ends, because names and values are signed without separators. A receipt can say less.
 * - `once`: not the event, but the signature is used once, so that a changed event is taken for a repetition.
 * - `token`: not the event. The provider sends a secret and signs nothing.
 */
export type Cover = 'all' | 'joined' | 'once' | 'token'

/** About a delivery to an address, or a text message with STOP that came in from the address. */
export interface Event {
  deliveryId: string
  address: string
  /** Milliseconds since the epoch: it is signed at that time. */
  at: number
  /** `callback_url` of the integration. */
  url: string
}

export interface SignedRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body: string
}

export interface SignedCallback {
  provider: string
  /** Where a provider has several. */
  signature?: string
  /** A bounce says that the address does not exist. */
  reports: 'bounce' | 'delivery' | 'text' | 'mail'
  covers: Cover
  /** They verify callbacks: the others are those of the example. */
  settings: Record<string, string>
  request(event: Event): SignedRequest
}

type Fields = Record<string, string>

const token = 'a-token-of-the-operator'
const seconds = (at: number) => String(Math.floor(at / 1_000))
const iso = (at: number) => new Date(at).toISOString()
const utc = (at: number) => iso(at).replace('T', ' ').slice(0, 19)
const digits = (address: string) => address.replace('+', '')
const hmac = (hash: string, key: string | Buffer, text: string) => createHmac(hash, key).update(text)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const withDelivery = ({ url, deliveryId }: Event) => `${url}?delivery=${deliveryId}`
const sorted = (fields: Fields) => Object.entries(fields).sort(([left], [right]) => (left < right ? -1 : 1))
/** In the order in which they are signed, so that two neighbors may be read as one. */
const encoded = (fields: Fields) => new URLSearchParams(sorted(fields)).toString()

const post = (url: string, type: 'json' | 'x-www-form-urlencoded', body: string, headers: Fields): SignedRequest => ({
  ...{ method: 'POST', url, body },
  headers: { 'content-type': `application/${type}`, ...headers },
})
const json = (url: string, body: object, sign: (text: string) => Fields): SignedRequest => {
  const text = JSON.stringify(body)
  return post(url, 'json', text, sign(text))
}
const form = (url: string, fields: Fields, headers: Fields): SignedRequest =>
  post(url, 'x-www-form-urlencoded', encoded(fields), headers)

/** HS256. */
function jwt(claims: object, key: string): string {
  const [header, payload] = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return `${header}.${payload}.${hmac('sha256', key, `${header}.${payload}`).digest('base64url')}`
}

/** Providers that sign nothing. */
const byToken = (
  provider: string,
  settings: Fields,
  headers: Fields,
  eventOf: (event: Event) => object,
  reports: 'bounce' | 'delivery' = 'bounce',
): SignedCallback => ({
  ...{ provider, reports, covers: 'token', settings },
  request: (event) => json(event.url, eventOf(event), () => headers),
})

const basic = { authorization: `Basic ${Buffer.from(`postrider:${token}`).toString('base64')}` }

const tokens: SignedCallback[] = [
  byToken('brevo', { webhookToken: token }, { authorization: `Bearer ${token}` }, ({ deliveryId, address, at }) => ({
    ...{ event: 'hard_bounce', email: address, ts_event: Number(seconds(at)), reason: '550 no' },
    'X-Mailin-custom': `message_id:1|delivery_id:${deliveryId}`,
  })),
  byToken('mailjet', { webhookPassword: token }, basic, ({ deliveryId, address, at }) => ({
    ...{ event: 'bounce', time: Number(seconds(at)), email: address, hard_bounce: true },
    ...{ CustomID: deliveryId, error: 'user unknown' },
  })),
  byToken('postmark', { webhookToken: token }, { 'x-postrider-token': token }, ({ deliveryId, address, at }) => ({
    ...{ RecordType: 'Bounce', Type: 'HardBounce', Email: address, BouncedAt: iso(at) },
    Metadata: { delivery_id: deliveryId },
  })),
  byToken(
    'postmark',
    { webhookToken: token },
    { 'x-postrider-token': token },
    ({ deliveryId, address, at }) => ({
      ...{ RecordType: 'Delivery', Recipient: address, DeliveredAt: iso(at), Metadata: { delivery_id: deliveryId } },
    }),
    'delivery',
  ),
  byToken('sparkpost', { webhookToken: token }, basic, ({ deliveryId, address, at }) => ({
    msys: {
      message_event: {
        ...{ type: 'bounce', bounce_class: '10', raw_rcpt_to: address, timestamp: seconds(at) },
        rcpt_meta: { delivery_id: deliveryId },
      },
    },
  })),
  {
    ...{ provider: 'smtp', reports: 'mail', covers: 'token', settings: { webhookToken: token } },
    // A mail says nothing by itself: the token in its address names the delivery (`test/system/bounces.test.ts`).
    request: ({ url, address }) => ({
      ...{ method: 'POST', url, headers: { 'content-type': 'message/rfc822', 'x-postrider-token': token } },
      body: `To: bounces@example.com\r\nSubject: Undelivered\r\n\r\n${address}\r\n`,
    }),
  },
]

const signingKey = 'a-signing-key'

const mailgun: SignedCallback = {
  ...{ provider: 'mailgun', reports: 'bounce', covers: 'once', settings: { webhookSigningKey: signingKey } },
  request({ url, deliveryId, address, at }) {
    const signed = { timestamp: seconds(at), token: sha256(deliveryId).slice(0, 50) }
    const signature = hmac('sha256', signingKey, signed.timestamp + signed.token).digest('hex')
    const event = { event: 'failed', severity: 'permanent', reason: 'bounce', recipient: address }
    const body = { ...event, timestamp: at / 1_000, 'user-variables': { delivery_id: deliveryId } }
    return json(url, { signature: { ...signed, signature }, 'event-data': body }, () => ({}))
  },
}

const resend: SignedCallback = {
  ...{ provider: 'resend', reports: 'bounce', covers: 'all' },
  settings: { webhookSecret: `whsec_${Buffer.from(signingKey).toString('base64')}` },
  request({ url, deliveryId, address, at }) {
    const data = { to: [address], tags: { delivery_id: deliveryId }, bounce: { type: 'Permanent', message: 'no' } }
    return json(url, { type: 'email.bounced', created_at: iso(at), data }, (text) => ({
      ...{ 'svix-id': 'msg_1', 'svix-timestamp': seconds(at) },
      'svix-signature': `v1,${hmac('sha256', signingKey, `msg_1.${seconds(at)}.${text}`).digest('base64')}`,
    }))
  },
}

const ecdsa = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const sendgrid: SignedCallback = {
  ...{ provider: 'sendgrid', reports: 'bounce', covers: 'all' },
  settings: { webhookKey: ecdsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64') },
  request({ url, deliveryId, address, at }) {
    const bounce = { event: 'bounce', type: 'bounce', email: address, timestamp: Number(seconds(at)) }
    return json(url, [{ ...bounce, delivery_id: deliveryId, reason: '550 no' }], (text) => ({
      'x-twilio-email-event-webhook-timestamp': seconds(at),
      'x-twilio-email-event-webhook-signature': sign(
        'sha256',
        Buffer.from(seconds(at) + text),
        ecdsa.privateKey,
      ).toString('base64'),
    }))
  },
}

const topicArn = 'arn:aws:sns:eu-central-1:123456789012:mail'
const sns = 'https://sns.eu-central-1.amazonaws.com'

/** The certificate that messages of SNS are signed with here: Amazon's is at the address that they name. */
export const snsCertificate = localhost.cert

function snsNotification({ url, at }: Event, message: object): SignedRequest {
  const Message = JSON.stringify(message)
  const signed = { Message, MessageId: 'n-1', Timestamp: iso(at), TopicArn: topicArn, Type: 'Notification' }
  const text = sorted(signed).map(([name, value]) => `${name}\n${value}\n`)
  const Signature = sign('sha256', Buffer.from(text.join('')), localhost.key).toString('base64')
  const SigningCertURL = `${sns}/SimpleNotificationService-1.pem`
  return json(url, { ...signed, SignatureVersion: '2', Signature, SigningCertURL }, () => ({}))
}

const amazon: SignedCallback[] = [
  {
    ...{ provider: 'aws-ses', reports: 'bounce', covers: 'all', settings: { topicArn } },
    request(event) {
      const { deliveryId, address, at } = event
      const bouncedRecipients = [{ emailAddress: address, diagnosticCode: '550 no' }]
      const bounce = { bounceType: 'Permanent', timestamp: iso(at), bouncedRecipients }
      const mail = { timestamp: iso(at), destination: [address], tags: { delivery_id: [deliveryId] } }
      return snsNotification(event, { eventType: 'Bounce', mail, bounce })
    },
  },
  {
    ...{ provider: 'aws-sns', reports: 'text', covers: 'all', settings: { topicArn } },
    request: (event) =>
      snsNotification(event, {
        ...{ inboundMessageId: 't-1', messageBody: 'STOP' },
        ...{ originationNumber: event.address, destinationNumber: '+12025550100' },
      }),
  },
]

const birdToken = (url: string, body: string, at: number) => {
  const claims = { iss: 'MessageBird', nbf: Number(seconds(at)), url_hash: sha256(url) }
  return { 'messagebird-signature-jwt': jwt({ ...claims, ...(body && { payload_hash: sha256(body) }) }, signingKey) }
}

const messagebird: SignedCallback[] = [
  {
    ...{ provider: 'messagebird', reports: 'bounce', covers: 'all', settings: { signingKey } },
    request({ url, deliveryId, address, at }) {
      const failure = { status: 'delivery_failed', statusReason: 'unknown subscriber', statusErrorCode: '1' }
      const report = { ...failure, reference: deliveryId, recipient: digits(address), statusDatetime: iso(at) }
      const reportUrl = `${url}?${encoded(report)}`
      return { method: 'GET', url: reportUrl, headers: birdToken(reportUrl, '', at), body: '' }
    },
  },
  {
    ...{ provider: 'messagebird', reports: 'text', covers: 'all', settings: { signingKey } },
    request({ url, address, at }) {
      const text = { id: 't-1', recipient: '12025550100', originator: digits(address), body: 'STOP' }
      return form(url, text, birdToken(url, encoded(text), at))
    },
  },
]

const authToken = 'an-auth-token'

/** Names and values without separators: a text could come again without its id. */
const joined = { bounce: 'joined', delivery: 'joined', text: 'once' } as const

const plivoReport = ({ address, at }: Event): Fields => ({
  ...{ To: digits(address), From: '12025550100', DeliveryReportTime: utc(at), MessageUUID: 'u-1' },
  ...{ Status: 'undelivered', ErrorCode: '70' },
})
const plivoText = ({ address }: Event): Fields => ({
  ...{ From: digits(address), MessageUUID: 'u-2', Text: 'STOP', To: '12025550100', Type: 'sms', Units: '1' },
})
const plivoFields = { bounce: plivoReport, text: plivoText }
const plivoUrl = (reports: 'bounce' | 'text', event: Event) => (reports === 'bounce' ? withDelivery(event) : event.url)

/** The address and the fields. */
const plivo3 = (reports: 'bounce' | 'text'): SignedCallback => ({
  ...{ provider: 'plivo', signature: 'V3', reports, covers: joined[reports], settings: { authToken } },
  request(event) {
    const [url, fields] = [plivoUrl(reports, event), plivoFields[reports](event)]
    const text = `${url}${reports === 'bounce' ? '.' : '?'}${sorted(fields).flat().join('')}.nonce-3`
    const signature = hmac('sha256', authToken, text).digest('base64')
    return form(url, fields, { 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': 'nonce-3' })
  },
})

/** The address without its parameters. */
const plivo2 = (reports: 'bounce' | 'text'): SignedCallback => ({
  ...{ provider: 'plivo', signature: 'V2', reports, covers: 'once', settings: { authToken } },
  request(event) {
    const nonce = `nonce-${event.deliveryId}`
    const signature = hmac('sha256', authToken, event.url + nonce).digest('base64')
    const headers = { 'x-plivo-signature-v2': signature, 'x-plivo-signature-v2-nonce': nonce }
    return form(plivoUrl(reports, event), plivoFields[reports](event), headers)
  },
})

const ed25519 = generateKeyPairSync('ed25519')

function telnyxEvent(url: string, type: string, payload: object, at: number): SignedRequest {
  const event = { data: { event_type: type, occurred_at: iso(at), payload }, meta: { attempt: 1, delivered_to: url } }
  return json(url, event, (text) => ({
    'telnyx-timestamp': seconds(at),
    'telnyx-signature-ed25519': sign(null, Buffer.from(`${seconds(at)}|${text}`), ed25519.privateKey).toString(
      'base64',
    ),
  }))
}

const telnyxSettings = {
  publicKey: Buffer.from(String(ed25519.publicKey.export({ format: 'jwk' }).x), 'base64url').toString('base64'),
}

const telnyx: SignedCallback[] = [
  {
    ...{ provider: 'telnyx', reports: 'bounce', covers: 'all', settings: telnyxSettings },
    request(event) {
      const url = withDelivery(event)
      const to = [{ phone_number: event.address, status: 'delivery_failed' }]
      const errors = [{ code: '40001', title: 'Not routable' }]
      return telnyxEvent(url, 'message.finalized', { to, errors, webhook_url: url }, event.at)
    },
  },
  {
    ...{ provider: 'telnyx', reports: 'text', covers: 'all', settings: telnyxSettings },
    request({ url, address, at }) {
      const numbers = { from: { phone_number: address }, to: [{ phone_number: '+12025550100' }] }
      return telnyxEvent(url, 'message.received', { id: 't-1', ...numbers, text: 'STOP', received_at: iso(at) }, at)
    },
  },
]

const twilio = (
  reports: 'bounce' | 'delivery' | 'text',
  urlOf: (event: Event) => string,
  fieldsOf: (event: Event) => Fields,
): SignedCallback => ({
  ...{ provider: 'twilio', reports, covers: joined[reports], settings: { authToken } },
  request(event) {
    const [url, fields] = [urlOf(event), fieldsOf(event)]
    const text = url + sorted(fields).flat().join('')
    return form(url, fields, { 'x-twilio-signature': hmac('sha1', authToken, text).digest('base64') })
  },
})

const twilios = [
  twilio('bounce', withDelivery, ({ address }) => ({
    ...{ AccountSid: 'AC1', ErrorCode: '30005', MessageSid: 'SM1', MessageStatus: 'undelivered', To: address },
  })),
  twilio('delivery', withDelivery, () => ({ AccountSid: 'AC1', MessageSid: 'SM1', MessageStatus: 'delivered' })),
  twilio(
    'text',
    ({ url }) => url,
    ({ address }) => ({
      ...{ AccountSid: 'AC1', Body: 'STOP', From: address, MessageSid: 'SM2', NumMedia: '0', SmsStatus: 'received' },
      To: '+12025550100',
    }),
  ),
]

const vonageFields = {
  bounce: ({ deliveryId, address, at }: Event): Fields => ({
    ...{ msisdn: digits(address), to: 'Example', messageId: '0A1', status: 'failed', 'err-code': '3' },
    ...{ 'message-timestamp': utc(at), 'client-ref': deliveryId },
  }),
  text: ({ address, at }: Event): Fields => ({
    ...{ msisdn: digits(address), to: '12025550100', messageId: '0B1', text: 'STOP', type: 'text' },
    'message-timestamp': utc(at),
  }),
}

const vonage = (reports: 'bounce' | 'text'): SignedCallback[] => [
  {
    ...{ provider: 'vonage', signature: 'parameter', reports, covers: 'all' },
    settings: { signatureSecret: signingKey },
    request(event) {
      const fields = { ...vonageFields[reports](event), timestamp: seconds(event.at) }
      const text = sorted(fields).map(([name, value]) => `&${name}=${value.replace(/[&=]/g, '_')}`)
      return form(event.url, { ...fields, sig: hmac('sha256', signingKey, text.join('')).digest('hex') }, {})
    },
  },
  {
    ...{ provider: 'vonage', signature: 'token', reports, covers: 'all' },
    settings: { signatureSecret: signingKey },
    request: (event) =>
      json(event.url, vonageFields[reports](event), (text) => ({
        authorization: `Bearer ${jwt({ iat: Number(seconds(event.at)), payload_hash: sha256(text) }, signingKey)}`,
      })),
  },
]

const whatsapp: SignedCallback = {
  ...{ provider: 'whatsapp', reports: 'bounce', covers: 'all', settings: { appSecret: signingKey } },
  request({ url, deliveryId, address, at }) {
    const status = { id: 'wamid.1', status: 'failed', timestamp: seconds(at), recipient_id: digits(address) }
    const value = { statuses: [{ ...status, biz_opaque_callback_data: deliveryId, errors: [{ title: 'no' }] }] }
    return json(url, { entry: [{ changes: [{ field: 'messages', value }] }] }, (text) => ({
      'x-hub-signature-256': `sha256=${hmac('sha256', signingKey, text).digest('hex')}`,
    }))
  },
}

export const signedCallbacks: readonly SignedCallback[] = [
  ...[...tokens, mailgun, resend, sendgrid, ...amazon, ...messagebird],
  ...[plivo3('bounce'), plivo3('text'), plivo2('bounce'), plivo2('text'), ...telnyx, ...twilios],
  ...[...vonage('bounce'), ...vonage('text'), whatsapp],
]
