/** Text messages through Twilio: https://www.twilio.com/docs/messaging/api/message-resource#create-a-message */
import { type Static, Type } from 'typebox'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { httpSignIn } from '../credentials-check.ts'
import { lineAt, objectAt, read } from '../draft.ts'
import { byStatus, parseBody, rejected, type Scope } from '../outcome.ts'
import { type Attempt, type Composition, DraftInvalid, provider } from '../provider.ts'
import { BaseUrl, Secret } from '../settings.ts'
import { apiAddress, basicAuth, formBody } from '../web-address.ts'

const HOME = 'https://api.twilio.com'

const Settings = Type.Object(
  {
    accountSid: Type.String({ title: 'Account SID', description: 'Begins with AC', minLength: 1, maxLength: 64 }),
    authToken: Secret('Auth token', 'The token of the account'),
    from: Type.Optional(Type.String({ title: 'From', description: 'A number or sender id', maxLength: 64 })),
    messagingServiceSid: Type.Optional(
      Type.String({ title: 'Messaging service SID', description: 'Chooses the sender instead of From', maxLength: 64 }),
    ),
    baseUrl: BaseUrl(HOME),
  },
  { additionalProperties: false },
)

type Settings = Static<typeof Settings>
type Draft = { body: JsonObject }

export default provider({
  key: 'twilio',
  title: 'Twilio',
  description: 'Text messages through Twilio',
  website: 'https://www.twilio.com',
  channels: ['sms'],
  dialect: 'plain',
  settings: Settings,
  profileKeys: ['phone_number'],

  settingsFault: ({ from, messagingServiceSid }) =>
    from || messagingServiceSid ? undefined : 'from: a sender is needed, from or messagingServiceSid',

  contact(profile): string | undefined {
    if (typeof profile.phone_number !== 'string') return undefined
    const digits = profile.phone_number.replace(/[\s().-]/g, '')
    return /^\+?\d{3,15}$/.test(digits) ? digits : undefined
  },

  compose({ content, to, settings }: Composition<string, Settings>): Draft {
    const { from, messagingServiceSid } = settings
    const sender = messagingServiceSid ? { MessagingServiceSid: messagingServiceSid } : from ? { From: from } : {}
    return { body: { To: to, Body: content.body || content.text, ...sender } }
  },

  /** https://www.twilio.com/docs/iam/api/account#fetch-an-account-resource */
  signIn({ accountSid, authToken, baseUrl }) {
    const url = apiAddress(baseUrl ?? HOME, `/2010-04-01/Accounts/${encodeURIComponent(accountSid)}.json`)
    const authorization = basicAuth(accountSid, authToken)
    const secrets = [authToken, authorization.slice('Basic '.length)]
    const headers = { accept: 'application/json', authorization }
    return url === undefined ? undefined : httpSignIn({ method: 'GET', url, headers }, { explain: words, secrets })
  },

  *deliver({ draft, settings, now }: Attempt<string, Draft, Settings>) {
    const body = read(() => formFields(objectAt(draft, 'body'), settings))
    if ('refusal' in body) return body.refusal
    const { accountSid, authToken } = settings
    if (!accountSid || !authToken)
      return rejected('configuration', 'The integration has no credentials for this address')
    if (!body.value.From && !body.value.MessagingServiceSid)
      return rejected('configuration', 'Neither From nor a messaging service is set')
    const path = `/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`
    const url = apiAddress(settings.baseUrl ?? HOME, path)
    if (!url) return rejected('configuration', 'The base URL is not a web address')
    const authorization = basicAuth(accountSid, authToken)
    const reply = yield {
      kind: 'http',
      method: 'POST',
      url,
      headers: { accept: 'application/json', authorization, 'content-type': 'application/x-www-form-urlencoded' },
      body: formBody(body.value, 'repeated'),
      final: true,
    }
    const trouble = byStatus(reply, now, { explain: words, secrets: [authToken, authorization.slice('Basic '.length)] })
    const answer = reply.kind === 'http' ? parseBody(reply) : undefined
    const fields = isObject(answer) ? answer : {}
    if (trouble) {
      const scope = SCOPES.get(Number(fields.code))
      return trouble.kind === 'rejected' && scope ? { ...trouble, scope } : trouble
    }
    // Something else than Twilio may have said 200.
    if (typeof fields.sid !== 'string') return { kind: 'in_doubt', error: 'Twilio answered without a message SID' }
    return { kind: 'sent', reference: { sid: fields.sid }, delivered: false }
  },
})

/** https://www.twilio.com/docs/api/errors; codes not listed mean what their status means. */
const SCOPES: ReadonlyMap<number, Scope> = new Map([
  ...[21211, 21217, 21265, 21401, 21407, 21421, 21610, 21612, 21614].map((code) => [code, 'recipient'] as const),
  ...[20003, 20404, 21212, 21408, 21603, 21606, 21659, 21660, 21701, 21703, 21705].map(
    (code) => [code, 'configuration'] as const,
  ),
])

/** Overrides may use the names of the API (`MediaUrl`) or of the SDK (`mediaUrl`); what was added last wins. */
function formFields(body: JsonObject, settings: Settings): JsonObject {
  const fields: JsonObject = {}
  for (const [name, value] of Object.entries(body)) fields[name.charAt(0).toUpperCase() + name.slice(1)] = value
  if (!lineAt(fields.To, 'To')) throw new DraftInvalid('To is missing')
  lineAt(fields.From, 'From')
  const spoken = [fields.Body, fields.ContentSid, fields.MediaUrl].some((value) => value !== undefined && value !== '')
  if (!spoken) throw new DraftInvalid('Body is missing')
  // A service that an override names chooses among its own senders; ours need not belong to it.
  if (fields.MessagingServiceSid && fields.From === settings.from) delete fields.From
  return fields
}

function words(body: unknown): string | undefined {
  if (!isObject(body) || typeof body.message !== 'string') return undefined
  return typeof body.code === 'number' ? `${body.message} (${body.code})` : body.message
}
