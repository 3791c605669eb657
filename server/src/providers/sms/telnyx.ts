/** Text messages through Telnyx: https://developers.telnyx.com/api/messaging/send-message */
import { Type } from 'typebox'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { apiAddress, apiUrl, bearer, credential, postJson, signInByGet } from '../http-api.ts'
import { byStatus, type Gone, parseBody, rejected, type Scope } from '../outcome.ts'
import { digitsOf, phoneNumber } from '../phone-number.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt } from '../provider.ts'
import { BaseUrl, Secret, Text } from '../settings.ts'

const HOME = 'https://api.telnyx.com/v2'

export default defineProvider({
  key: 'telnyx',
  title: 'Telnyx',
  description: 'Text messages through Telnyx',
  website: 'https://telnyx.com',
  channels: ['sms'],
  dialect: 'plain',
  profileKeys: ['phone_number'],
  settings: {
    apiKey: Secret('API key', 'Begins with KEY'),
    from: Type.Optional(Text('From', 'A number, a short code or a sender id', { maxLength: 20 })),
    messagingProfileId: Type.Optional(
      Text('Messaging profile id', 'Chooses the sender from its pool; needed beside a From that is a sender id', {
        maxLength: 64,
      }),
    ),
    baseUrl: BaseUrl(HOME),
  },
  example: {
    settings: { apiKey: 'KEY…', from: '+12025550100' },
    profile: { phone_number: '+12025550143' },
    override: { body: { media_urls: ['https://example.com/picture.png'] } },
    reply: { data: { id: '40385f64-5717-4562-b3fc-2c963f66afa6', to: [{ status: 'queued' }] } },
  },

  settingsError: ({ from, messagingProfileId }) =>
    from || messagingProfileId ? undefined : 'from: a sender is needed, from or messagingProfileId',

  contact: phoneNumber,

  compose({ content, to, settings }): { body: JsonObject } {
    const { from, messagingProfileId } = settings
    const sender = {
      ...(from ? { from } : {}),
      ...(messagingProfileId ? { messaging_profile_id: messagingProfileId } : {}),
    }
    return { body: { ...sender, to: internationalOf(to), text: content.body || content.text } }
  },

  /** https://developers.telnyx.com/api/account/get-user-balance */
  signIn({ apiKey, baseUrl }) {
    return signInByGet(apiAddress(baseUrl ?? HOME, '/balance'), bearer(apiKey), { explain: errorOf, secrets: [apiKey] })
  },

  *deliver({ draft, to, settings, now }) {
    const body = checkedBody(objectAt(draft, 'body'))
    const apiKey = credential(settings.apiKey, 'API key')
    if (!isPresent(body.from) && !isPresent(body.messaging_profile_id))
      return rejected('configuration', 'Neither from nor a messaging profile is set')
    const reply = yield postJson(apiUrl(settings.baseUrl ?? HOME, '/messages'), bearer(apiKey), body)
    const failed = byStatus(reply, now, { explain: errorOf, secrets: [apiKey] })
    const answer = reply.kind === 'http' ? parseBody(reply) : undefined
    if (failed) {
      const [code] = errorsOf(answer).map((error) => Number(error.code))
      // The sender has its own queue, whose limit is no error of the message.
      if (code === QUEUE_FULL) return { kind: 'retry', error: failed.error, attempted: false }
      if (failed.kind !== 'rejected') return failed
      const gone = body.to === internationalOf(to) ? GONE.get(code ?? 0) : undefined
      return { ...failed, scope: SCOPES.get(code ?? 0) ?? failed.scope, ...(gone && { gone }) }
    }
    const data = isObject(answer) && isObject(answer.data) ? answer.data : {}
    if (typeof data.id !== 'string') return { kind: 'in_doubt', error: 'Telnyx answered without a message id' }
    return { kind: 'sent', reference: { id: data.id }, delivered: false }
  },
})

/** Short codes stay as they are; every other number needs its `+`. */
const internationalOf = (number: string) => (digitsOf(number).length > 6 ? `+${digitsOf(number)}` : number)

function checkedBody(body: JsonObject): JsonObject {
  if (!lineAt(body.to, 'to')) throw new DraftInvalid('to is missing')
  lineAt(body.from, 'from')
  if (!isPresent(body.text) && !isPresent(body.media_urls)) throw new DraftInvalid('text is missing')
  return body
}

const QUEUE_FULL = 40318

/** https://developers.telnyx.com/docs/messaging/messages/error-codes; codes not listed mean what their status means. */
const SCOPES: ReadonlyMap<number, Scope> = new Map([
  ...[10001, 10002, 10016, 40001, 40008, 40012, 40300, 40309, 40310, 40319].map((code) => [code, 'recipient'] as const),
  ...[
    10009, 10010, 20100, 40003, 40010, 40013, 40305, 40306, 40308, 40311, 40312, 40313, 40314, 40315, 40320, 40321,
    40329,
  ].map((code) => [code, 'configuration'] as const),
])

/** A number that is not one or has no text messages, a person who answered STOP. */
const GONE: ReadonlyMap<number, Gone> = new Map([
  [10002, 'invalid_address'],
  [40001, 'invalid_address'],
  [40012, 'invalid_address'],
  [40300, 'unsubscribed'],
  [40310, 'invalid_address'],
])

function errorsOf(body: unknown): JsonObject[] {
  return isObject(body) && Array.isArray(body.errors) ? body.errors.filter(isObject) : []
}

function errorOf(body: unknown): string | undefined {
  const texts = errorsOf(body).flatMap(({ code, title, detail }) => {
    const text = [title, detail].filter((part) => typeof part === 'string' && part !== '').join(': ')
    return text ? [isPresent(code) ? `${text} (${code})` : text] : []
  })
  return texts.length > 0 ? texts.join('; ') : undefined
}
