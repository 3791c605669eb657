/** Text messages and pushes through Amazon SNS: https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
import { Type } from 'typebox'
import type { Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { phoneNumber } from '../../base/phone-number.ts'
import { awsCheck, awsRequest, awsSecrets, awsSettings, byAwsCode, lacksPermission } from '../aws.ts'
import { accepted, acceptedText, readInboundText } from '../callback.ts'
import { formBody, httpSignIn } from '../http-api.ts'
import { inboundSettings } from '../inbound-keyword.ts'
import { byStatus, type FailedOutcome, type Scope } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt, textAt } from '../provider.ts'
import { inGroup, Text } from '../settings.ts'
import { readSnsMessage } from '../sns-message.ts'

const SERVICE = { host: 'sns', name: 'sns' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A phone number, or the ARN of a device's endpoint. */
type Target = { address: string } | { token: string }

export default defineProvider({
  key: 'aws-sns',
  title: 'Amazon SNS',
  description: 'Text messages and pushes through Amazon Simple Notification Service',
  website: 'https://aws.amazon.com/sns',
  channels: ['sms', 'push'],
  dialect: 'plain',
  profileKeys: ['phone_number', 'target_arn', 'aws_sns'],
  profileKeysByChannel: { sms: ['phone_number'], push: ['target_arn', 'aws_sns'] },
  profileOf: (address) => (address.startsWith('arn:') ? { target_arn: address } : { phone_number: address }),
  // https://docs.aws.amazon.com/sns/latest/api/API_Publish.html#API_Publish_RequestParameters
  limits: { characters: { Message: 262_144 } },
  settings: {
    ...awsSettings,
    senderId: Type.Optional(
      Type.String({
        title: 'Sender id',
        description: 'The sender that text messages show, in countries that allow it',
        pattern: '^[A-Za-z0-9-]{1,11}$',
        patternText: 'at most 11 letters, digits and hyphens',
      }),
    ),
    originationNumber: Type.Optional(
      Text('Origination number', 'The number that text messages are sent from', { maxLength: 20 }),
    ),
    ...inGroup('advanced', {
      smsType: Type.Optional(
        Type.Enum(['Transactional', 'Promotional'], {
          title: 'Type of text messages',
          description:
            '`Transactional` is the most reliable, `Promotional` costs the least. By default the setting of the account',
        }),
      ),
    }),
    ...inGroup('callbacks', {
      topicArn: Type.Optional(
        Text('Topic ARN', 'The SNS topic of incoming messages. Callbacks of other topics are refused', {
          maxLength: 256,
        }),
      ),
    }),
    ...inboundSettings,
  },
  example: {
    settings: { region: 'eu-central-1', accessKeyId: 'AKIA…', secretAccessKey: '…', senderId: 'Example' },
    profile: { phone_number: '+12025550143' },
    override: {
      body: { MessageAttributes: { 'AWS.SNS.SMS.MaxPrice': { DataType: 'Number', StringValue: '0.50' } } },
    },
    reply: '<PublishResponse><PublishResult><MessageId>94f20ce6-13c5</MessageId></PublishResult></PublishResponse>',
  },

  contact(profile, _settings, { channel }): Target | undefined {
    if (channel === 'push') {
      const arn = isObject(profile.aws_sns) ? profile.aws_sns.target_arn : profile.target_arn
      return typeof arn === 'string' && ARN.test(arn) ? { token: arn } : undefined
    }
    const number = phoneNumber(profile)
    return number === undefined ? undefined : { address: number.startsWith('+') ? number : `+${number}` }
  },

  compose({ content, to, settings: { senderId, originationNumber, smsType } }): { body: JsonObject } {
    const text = content.body || content.text
    if ('token' in to)
      return { body: { TargetArn: to.token, Message: pushOf(content.title, text), MessageStructure: 'json' } }
    const attributes = {
      'AWS.SNS.SMS.SenderID': senderId,
      'AWS.MM.SMS.OriginationNumber': originationNumber,
      'AWS.SNS.SMS.SMSType': smsType,
    }
    const set = Object.entries(attributes).flatMap(([name, value]) =>
      value ? [[name, { DataType: 'String', StringValue: value }]] : [],
    )
    return {
      body: {
        PhoneNumber: to.address,
        Message: text,
        ...(set.length > 0 && { MessageAttributes: Object.fromEntries(set) }),
      },
    }
  },

  /** https://docs.aws.amazon.com/sns/latest/api/API_GetSMSAttributes.html */
  signIn(settings, now) {
    const body = formBody({ Action: 'GetSMSAttributes', Version: VERSION }, 'repeated')
    const request = awsCheck(settings, SERVICE, { method: 'POST', path: '/', headers: FORM, body }, now)
    if (!request) return undefined
    const check = httpSignIn(request, { explain: errorOf, secrets: awsSecrets(settings) })
    return { ...check, failureIn: (reply) => (lacksPermission(codeOf(reply)) ? undefined : check.failureIn(reply)) }
  },

  callbacks: {
    setup:
      'Amazon SNS has no receipts. For incoming messages, turn on two-way messaging of the number with an SNS topic. Store the ARN of the topic as `topicArn`. Then subscribe `callback_url` of the integration to the topic by HTTPS.',
    read: (request, { topicArn }) =>
      readSnsMessage(request, topicArn, (event) => {
        const text = textIn(event, request.now)
        return text ? acceptedText(text) : accepted([])
      }),
  },

  *deliver({ draft, settings, to, now }) {
    const fields = formFields(objectAt(draft, 'body'))
    const body = formBody(fields, 'repeated')
    const reply = yield awsRequest(
      settings,
      SERVICE,
      { method: 'POST', path: '/', headers: FORM, body, final: true },
      now,
    )
    const failed = byStatus(reply, now, { explain: errorOf, secrets: awsSecrets(settings) })
    if (failed) return withGone(byCode(failed, codeOf(reply)), codeOf(reply), fields, to)
    const MessageId = elementOf(reply, 'MessageId')
    // A proxy may have answered 200 instead of SNS.
    if (MessageId === undefined) return { kind: 'in_doubt', error: 'SNS answered without a message id' }
    return { kind: 'sent', reference: { MessageId }, delivered: false }
  },
})

/** https://docs.aws.amazon.com/sms-voice/latest/userguide/two-way-sms-payload.html */
const textIn = (
  { inboundMessageId: id, originationNumber: from, destinationNumber: to, messageBody: text }: JsonObject,
  at: number,
) => readInboundText({ id, from, to, text, at }, at)

const VERSION = '2010-03-31'
const ARN = /^arn:aws[\w-]*:sns:[\w-]{1,40}:\d{12}:[\w/.-]{1,300}$/

/** One message for every platform: SNS picks the one of the endpoint. https://docs.aws.amazon.com/sns/latest/dg/sns-send-custom-platform-specific-payloads-mobile-devices.html */
function pushOf(title: string, body: string): JsonObject {
  const apple = { aps: { alert: { ...(title ? { title } : {}), body } } }
  return {
    default: body,
    APNS: apple,
    APNS_SANDBOX: apple,
    GCM: { notification: { ...(title ? { title } : {}), body } },
  }
}

/** The parameters of the query protocol; attributes are numbered. */
function formFields({ Message, MessageAttributes, ...others }: JsonObject): JsonObject {
  const fields: JsonObject = { Action: 'Publish', Version: VERSION }
  for (const [name, value] of Object.entries(others)) fields[name] = textAt(value, name)
  if (![fields.PhoneNumber, fields.TargetArn, fields.TopicArn].some(isPresent))
    throw new DraftInvalid('PhoneNumber is missing')
  for (const name of ['PhoneNumber', 'TargetArn', 'TopicArn']) lineAt(fields[name], name)
  fields.Message = isObject(Message) ? platformMessages(Message) : textAt(Message, 'Message')
  if (!isPresent(fields.Message)) throw new DraftInvalid('Message is missing')
  if (!isPresent(MessageAttributes)) return fields
  if (!isObject(MessageAttributes)) throw new DraftInvalid('MessageAttributes must be an object')
  Object.entries(MessageAttributes).forEach(([name, value], index) => {
    if (!isObject(value)) throw new DraftInvalid(`MessageAttributes.${name} must be an object`)
    const entry = `MessageAttributes.entry.${index + 1}`
    fields[`${entry}.Name`] = name
    for (const key of ['DataType', 'StringValue', 'BinaryValue'])
      if (isPresent(value[key]))
        fields[`${entry}.Value.${key}`] = textAt(value[key], `MessageAttributes.${name}.${key}`)
  })
  return fields
}

/** The message of each platform is JSON in a string. */
const platformMessages = (messages: JsonObject) =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(messages).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
  )

/** https://docs.aws.amazon.com/sns/latest/api/API_Publish.html#API_Publish_Errors */
const SCOPES: ReadonlyMap<string, Scope> = new Map([
  ['EndpointDisabled', 'recipient'],
  ['OptedOut', 'recipient'],
  ['PlatformApplicationDisabled', 'configuration'],
  ...['KMSAccessDenied', 'KMSDisabled', 'KMSInvalidState', 'KMSNotFound', 'KMSOptInRequired'].map(
    (code) => [code, 'configuration'] as const,
  ),
])

function byCode(failed: FailedOutcome, code: string | undefined): FailedOutcome {
  if (code === 'KMSThrottling') return { kind: 'retry', error: failed.error, attempted: false }
  if (failed.kind === 'rejected') {
    const isAddress = code === 'InvalidParameter' && /PhoneNumber|TargetArn|No endpoint found/.test(failed.error)
    // Every other resource of the request is an endpoint of a device.
    if (isAddress || code === 'NotFound') return { ...failed, scope: 'recipient' }
  }
  return byAwsCode(failed, code, SCOPES)
}

/** The number opted out, or the endpoint was deleted; not where an override has replaced them. */
function withGone(failed: FailedOutcome, code: string | undefined, fields: JsonObject, to: Target): FailedOutcome {
  if (failed.kind !== 'rejected' || failed.scope !== 'recipient') return failed
  const isOwn = 'token' in to ? fields.TargetArn === to.token : fields.PhoneNumber === to.address
  const gone = code === 'OptedOut' ? 'unsubscribed' : code === 'NotFound' ? 'invalid_address' : undefined
  return isOwn && gone ? { ...failed, gone } : failed
}

const codeOf = (reply: Reply) => elementOf(reply, 'Code')
const errorOf = (body: unknown) => (typeof body === 'string' ? elementIn(body, 'Message') : undefined)
const elementOf = (reply: Reply, name: string) => (reply.kind === 'http' ? elementIn(reply.body, name) : undefined)

/** The first element of that name in the XML of SNS, whose elements have no attributes. */
function elementIn(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]{1,1000})</${name}>`).exec(xml)?.[1]
  return text?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: keyof typeof ENTITIES) => ENTITIES[entity])
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' } as const
