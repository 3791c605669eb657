/** Firebase Cloud Messaging, by its HTTP v1 API. */
import type { HttpReply, Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { apiUrl, bearer, credential, postJson } from '../http-api.ts'
import { serviceAccountGrant, tokenSignIn, withAccessToken } from '../oauth2.ts'
import { addressGone, byStatus, type FailedOutcome, type Outcome, parseBody, rejected, statusText } from '../outcome.ts'
import { type DeviceToken, DraftInvalid, defineProvider, isPresent, objectAt, Rejection } from '../provider.ts'
import { checkContent, checkPayload, pushFields, tokensIn } from '../push-parts.ts'
import { BaseUrl, SigningKey, serviceAccountOf } from '../settings.ts'

const HOME = 'https://fcm.googleapis.com'
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const PAYLOAD_BYTES_MAX = 4_096

export default defineProvider({
  key: 'firebase-fcm',
  title: 'Firebase Cloud Messaging',
  description: 'Push to Android, iOS and browsers through Firebase',
  website: 'https://firebase.google.com/docs/cloud-messaging',
  limits: { payloadBytes: PAYLOAD_BYTES_MAX },
  channels: ['push'],
  dialect: 'plain',
  profileKeys: ['firebaseToken'],
  profileOf: (token) => ({ firebaseToken: token }),
  settings: {
    serviceAccount: SigningKey(
      'Service account',
      'The JSON file of a service account that may send messages of the project',
      'service account',
    ),
    baseUrl: BaseUrl(HOME),
  },
  example: {
    settings: { serviceAccount: exampleAccount() },
    profile: { firebaseToken: 'fcm-token-1' },
    override: { body: { android: { priority: 'high' }, data: { order: '7' } } },
    reply: { name: 'projects/shop-1/messages/0:1', access_token: 'ya29.token', token_type: 'Bearer', expires_in: 3599 },
  },

  devices: { inProfile: devicesIn, contact: (device) => device },
  contact: (profile): DeviceToken | undefined => devicesIn(profile)[0],

  /** https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages#Message */
  compose({ content, push }): { body: JsonObject } {
    const { icon, data, clickAction } = pushFields(push)
    const onAndroid = { ...(icon && { icon }), ...(clickAction && { click_action: clickAction }) }
    return {
      body: {
        notification: { title: content.title, body: content.body || content.text },
        ...(data && { data }),
        ...(Object.keys(onAndroid).length > 0 && { android: { notification: onAndroid } }),
        ...(clickAction && { apns: { payload: { aps: { category: clickAction } } } }),
      },
    }
  },

  signIn({ serviceAccount }, now) {
    const account = serviceAccountOf(serviceAccount)
    return account && tokenSignIn(serviceAccountGrant(account, SCOPE, now))
  },

  *deliver({ draft, to, settings, now }) {
    const account = serviceAccountOf(credential(settings.serviceAccount, 'service account'))
    if (!account) throw new Rejection('configuration', 'The service account cannot be read')
    const message = messageOf(draft, to.token)
    const path = `/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`
    const url = apiUrl(settings.baseUrl ?? HOME, path)
    const sent = yield* withAccessToken(
      serviceAccountGrant(account, SCOPE, now),
      now,
      (token) => postJson(url, bearer(token), { message }),
      isUnauthenticated,
    )
    return 'kind' in sent ? sent : outcomeOf(sent.reply, now, [sent.token, to.token])
  },
})

function devicesIn(profile: JsonObject): DeviceToken[] {
  return tokensIn(profile.firebaseToken)
}

function messageOf(draft: JsonObject, token: string): JsonObject {
  const body = objectAt(draft, 'body')
  for (const key of ['token', 'topic', 'condition'])
    if (isPresent(body[key])) throw new DraftInvalid(`body.${key} cannot be set: the recipient decides it`)
  checkContent(body)
  const { data, notification } = body
  if (isPresent(data) && !isObject(data)) throw new DraftInvalid('body.data must be an object')
  const reserved = isObject(data) ? Object.keys(data).find(isReserved) : undefined
  if (reserved !== undefined)
    throw new DraftInvalid(
      `data.${reserved.slice(0, 100)} cannot be set: Firebase reserves the key for itself, use another one`,
    )
  const texts = isObject(data) ? { data: textsOf(data) } : {}
  checkPayload(countedBytes(texts.data) + countedBytes(notification), PAYLOAD_BYTES_MAX, 'Firebase')
  return { ...body, ...texts, token }
}

/** https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages#Message */
const isReserved = (key: string) => key === 'from' || key === 'message_type' || /^(?:google|gcm)/.test(key)

/** The values of `data` are strings; other values are written as JSON. */
const textsOf = (data: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  )

/** Keys and values alone: how much of the JSON around them counts is not stated. */
const countedBytes = (value: unknown): number =>
  isObject(value)
    ? Object.entries(value).reduce(
        (sum, [key, item]) => sum + Buffer.byteLength(key) + (typeof item === 'string' ? Buffer.byteLength(item) : 0),
        0,
      )
    : 0

function outcomeOf(reply: Reply, now: number, secrets: readonly string[]): Outcome {
  const failed = byStatus(reply, now, { explain: errorMessage, secrets })
  if (!failed) {
    const body = reply.kind === 'http' ? parseBody(reply) : undefined
    if (isObject(body) && typeof body.name === 'string')
      return { kind: 'sent', reference: { name: body.name }, delivered: false }
    return { kind: 'in_doubt', error: 'The answer is not from Firebase' }
  }
  return failed.kind === 'rejected' && reply.kind === 'http' ? rejectionOf(reply, failed, secrets) : failed
}

/** https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode */
function rejectionOf(reply: HttpReply, failed: FailedOutcome, secrets: readonly string[]): Outcome {
  const error = statusText(reply, { explain: errorMessage, secrets })
  switch (errorCode(parseBody(reply))) {
    case 'UNREGISTERED':
    case 'NOT_FOUND':
      return addressGone('invalid_address', error)
    case 'INVALID_ARGUMENT':
      return isAboutToken(parseBody(reply)) ? addressGone('invalid_address', error) : rejected('content', error)
    // The token is one of another project; those beside it may be of this one.
    case 'SENDER_ID_MISMATCH':
      return rejected('recipient', error)
    default:
      return failed
  }
}

const isUnauthenticated = (reply: Reply): boolean =>
  reply.kind === 'http' && reply.status === 401 && errorCode(parseBody(reply)) !== 'THIRD_PARTY_AUTH_ERROR'

const errorIn = (body: unknown): JsonObject => (isObject(body) && isObject(body.error) ? body.error : {})

const detailsIn = (body: unknown): JsonObject[] => {
  const { details } = errorIn(body)
  return Array.isArray(details) ? details.filter(isObject) : []
}

/** The code of Firebase, else that of Google's APIs. */
function errorCode(body: unknown): unknown {
  const fcmDetail = detailsIn(body).find((detail) => String(detail['@type']).endsWith('FcmError'))
  return fcmDetail?.errorCode ?? errorIn(body).status
}

function errorMessage(body: unknown): string | undefined {
  const { message } = errorIn(body)
  const code = errorCode(body)
  const texts = [typeof code === 'string' ? code : undefined, typeof message === 'string' ? message : undefined]
  return texts.filter(Boolean).join(': ') || undefined
}

function isAboutToken(body: unknown): boolean {
  const violations = detailsIn(body).flatMap(({ fieldViolations: all }) => (Array.isArray(all) ? all : []))
  if (violations.length > 0)
    return violations.every((violation) => isObject(violation) && violation.field === 'message.token')
  return /registration token is not a valid/i.test(String(errorIn(body).message))
}

/** With a key of 512 bits, which no service takes. */
function exampleAccount(): string {
  const key = [
    'MIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6AgEAAkEA1Ex35BKBHEMpvWlR',
    '6Th2TUt0/gCK7Lt5GKFFpNB+SPTXOjxQ/c8fM9lr4VoG6xnOIDHrLT4HC15+MF8H',
    'FDL1bQIDAQABAkAHCF10XbSPNh5c2u9OtYMdvmEqxOPVQcSaL0V6VznHut0tLesg',
    '86zayBDPa8dACeaMDecU0gEFNERddGj+epo1AiEA8pTEqd8O7SErdk/F7beoZRB2',
    'zBJbZXfrkCyzG9zgLp8CIQDgCt2dlYRvGcOWHZiADApmHmrr1+XVb3M3ZGQNx3d8',
    'cwIhAOiDYhG0xRjTf1Yy1nOpYxYj9spaGhKjJD4YKkFdr9/fAiBSH8mClScZbpFC',
    'OpEHBuLc8fNxhg9KgHL0cAk4/8/tvwIgFyWD+YeknjF404zLtFwpzbJR88ND2FIL',
    'tWXEKvs8s/M=',
  ]
  return JSON.stringify({
    type: 'service_account',
    project_id: 'shop-1',
    client_email: 'push@shop-1.iam.gserviceaccount.com',
    private_key: ['-----BEGIN PRIVATE KEY-----', ...key, '-----END PRIVATE KEY-----', ''].join('\n'),
  })
}
