/** Mail through Amazon SES, API v2: https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html */
import { Type } from 'typebox'
import type { Mail, MailAddress, MailAttachment, Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { asciiAddress, buildMail, MailInvalid } from '../../base/mime/mime.ts'
import { type AwsSettings, awsCheck, awsRequest, awsSecrets, awsSettings, byAwsCode, lacksPermission } from '../aws.ts'
import { accepted, type Receipt, readReceipt } from '../callback.ts'
import { httpSignIn } from '../http-api.ts'
import { megabytes } from '../limits.ts'
import { complaintKind, isAboutAddressee } from '../mail-events.ts'
import {
  addressAt,
  addressesAt,
  attachmentsAt,
  composeMail,
  formatAddress,
  mailHeadersAt,
  mailProvider,
  withoutEmpty,
} from '../mail-parts.ts'
import { byStatus, type FailedOutcome, parseBody, type Scope } from '../outcome.ts'
import { type Attempt, DraftInvalid, defineProvider, isPresent, lineAt, objectAt, textAt } from '../provider.ts'
import { inGroup, sender, Text } from '../settings.ts'
import { readSnsMessage } from '../sns-message.ts'

const SERVICE = { host: 'email', name: 'ses' }

type Draft = { body: JsonObject; attachments?: unknown }

export default defineProvider({
  ...mailProvider,
  key: 'aws-ses',
  title: 'Amazon SES',
  description: 'Mail through Amazon Simple Email Service',
  website: 'https://aws.amazon.com/ses',
  senderRecords: { hosts: /^email-smtp(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com$/ },
  // After base64: https://docs.aws.amazon.com/ses/latest/dg/quotas.html
  limits: { requestBytes: megabytes(40) },
  settings: {
    ...awsSettings,
    ...sender('A verified address, or one of a verified domain'),
    ...inGroup('callbacks', {
      configurationSet: Type.Optional(
        Text('Configuration set', 'The configuration set that publishes the events of the mails', {
          maxLength: 64,
          minLength: 1,
        }),
      ),
      topicArn: Type.Optional(
        Type.String({
          title: 'Topic ARN',
          description:
            'The SNS topic that gets the events of the configuration set. Callbacks of other topics are refused',
          pattern: '^arn:aws[a-z-]{0,20}:sns:[a-z0-9-]{1,30}:[0-9]{12}:[A-Za-z0-9_.-]{1,256}$',
          patternText: 'the ARN of a topic, such as `arn:aws:sns:us-east-1:123456789012:mail`',
          maxLength: 400,
        }),
      ),
    }),
  },
  example: {
    settings: {
      region: 'eu-central-1',
      accessKeyId: 'AKIA…',
      secretAccessKey: '…',
      fromAddress: 'hello@example.com',
      fromName: 'Example',
    },
    profile: { email: 'ada@example.com' },
    override: {
      body: { ConfigurationSetName: 'orders' },
      attachments: [{ filename: 'a.txt', contentType: 'text/plain', data: 'aGk=' }],
    },
    reply: { MessageId: '0107018f-example-000000' },
  },

  compose(composition): Draft {
    const { from, to, cc, bcc, replyTo, subject, html, text, headers, attachments } = composeMail(composition)
    const { id, deliveryId } = composition.message
    const { configurationSet } = composition.settings
    const destinations = { ToAddresses: to, CcAddresses: cc, BccAddresses: bcc }
    const lists = Object.entries(destinations).map(([field, list]) => [field, list.map(formatAddress)])
    const parts = { Text: text && utf8(text), Html: html && utf8(html) }
    return {
      body: {
        FromEmailAddress: formatAddress(from),
        Destination: withoutEmpty(Object.fromEntries(lists)),
        ...withoutEmpty({ ReplyToAddresses: replyTo.map(formatAddress), ConfigurationSetName: configurationSet }),
        Content: {
          Simple: {
            Subject: utf8(subject),
            Body: withoutEmpty(parts),
            ...withoutEmpty({
              Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
              Attachments: attachments.map(attachmentOf),
            }),
          },
        },
        EmailTags: [
          { Name: 'message_id', Value: id },
          { Name: 'delivery_id', Value: deliveryId },
        ],
      },
    }
  },

  /** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetAccount.html */
  signIn(settings, now) {
    const call = { method: 'GET', path: '/v2/email/account', headers: { accept: 'application/json' } } as const
    const request = awsCheck(settings, SERVICE, call, now)
    if (!request) return undefined
    const check = httpSignIn(request, { explain: errorOf, secrets: awsSecrets(settings) }, (reply) => {
      const account = answerOf(reply)
      return account.SendingEnabled === false ? 'Sending is paused for this account in this region' : undefined
    })
    return { ...check, failureIn: (reply) => (lacksPermission(codeOf(reply)) ? undefined : check.failureIn(reply)) }
  },

  callbacks: {
    setup:
      'Let the configuration set publish its events to an SNS topic. Store the name of the set as `configurationSet` and the ARN of the topic as `topicArn`. Then subscribe `callback_url` of the integration to the topic by HTTPS, without raw message delivery. Postrider confirms the subscription.',
    read: (request, { topicArn }) =>
      readSnsMessage(request, topicArn, (event) => accepted(receiptsOf(event, request.now))),
  },

  *deliver(attempt) {
    const { settings, now } = attempt
    const headers = { accept: 'application/json', 'content-type': 'application/json' }
    const body = JSON.stringify(checkedBody(attempt))
    const call = { method: 'POST', path: '/v2/email/outbound-emails', headers, body, final: true } as const
    const reply = yield awsRequest(settings, SERVICE, call, now)
    const failed = byStatus(reply, now, { explain: errorOf, secrets: awsSecrets(settings) })
    if (failed) return byCode(failed, codeOf(reply))
    const { MessageId } = answerOf(reply)
    // A proxy may have answered 200 instead of SES.
    if (typeof MessageId !== 'string') return { kind: 'in_doubt', error: 'SES answered without a message id' }
    return { kind: 'sent', reference: { MessageId }, delivered: false }
  },
})

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' })

const attachmentOf = ({ content, contentType, filename, contentId, disposition }: MailAttachment) => ({
  RawContent: content,
  FileName: filename,
  ContentType: contentType,
  ContentTransferEncoding: 'BASE64',
  ...(disposition || contentId ? { ContentDisposition: (disposition ?? 'inline').toUpperCase() } : {}),
  ...(contentId ? { ContentId: contentId } : {}),
})

/** The body after the override: addresses as they stand in a header, and content that SES takes as it is. */
function checkedBody({ draft, message, now }: Attempt<MailAddress, Draft, AwsSettings>): JsonObject {
  const body = objectAt(draft, 'body')
  const from = addressAt(body.FromEmailAddress, 'FromEmailAddress')
  if (!from) throw new DraftInvalid('FromEmailAddress is missing')
  const destination = objectAt(body, 'Destination')
  const [to, cc, bcc] = ['ToAddresses', 'CcAddresses', 'BccAddresses'].map((field) =>
    addressesAt(destination[field], field),
  )
  if (!to || to.length === 0) throw new DraftInvalid('ToAddresses is missing')
  const replyTo = addressesAt(body.ReplyToAddresses, 'ReplyToAddresses')
  const lists = {
    ToAddresses: to.map(asciiAddress),
    CcAddresses: cc?.map(asciiAddress),
    BccAddresses: bcc?.map(asciiAddress),
  }
  const content = objectAt(body, 'Content')
  const attached = isPresent(draft.attachments) ? attachmentsAt(draft.attachments, 'attachments') : undefined
  const messageId = `${message.deliveryId}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`
  const envelope = { from, to, ...(cc?.length ? { cc } : {}), ...(replyTo.length > 0 ? { replyTo } : {}) }
  return {
    ...body,
    FromEmailAddress: asciiAddress(from),
    Destination: { ...destination, ...withoutEmpty(lists) },
    ...withoutEmpty({ ReplyToAddresses: replyTo.map(asciiAddress) }),
    Content: isPresent(content.Simple)
      ? contentOf(objectAt(content, 'Simple'), attached, { ...envelope, messageId, date: now })
      : content,
  }
}

/** SES takes at most 15 headers in printable ASCII; others are encoded and folded in a mail that is built here. */
const HEADERS_MAX = 15
const PLAIN = /^[\x20-\x7e]{0,870}$/

function contentOf(
  simple: JsonObject,
  attached: MailAttachment[] | undefined,
  envelope: Omit<Mail, 'subject'>,
): JsonObject {
  const attachments = attached ?? attachmentsAt(partsOf(simple.Attachments, 'Attachments').map(readable), 'Attachments')
  const headers = mailHeadersAt(
    Object.fromEntries(partsOf(simple.Headers, 'Headers').map(({ Name, Value }) => [String(Name), Value])),
    'Headers',
  )
  const subject = lineAt(dataAt(simple, 'Subject'), 'Subject') ?? ''
  const values = Object.values(headers)
  if (values.length <= HEADERS_MAX && values.every((value) => PLAIN.test(value))) {
    const Headers = Object.entries(headers).map(([Name, Value]) => ({ Name, Value }))
    return { Simple: { ...simple, ...withoutEmpty({ Headers, Attachments: attachments.map(attachmentOf) }) } }
  }
  const parts = objectAt(simple, 'Body')
  const [text, html] = [textAt(dataAt(parts, 'Text'), 'Text'), textAt(dataAt(parts, 'Html'), 'Html')]
  const mail: Mail = {
    ...envelope,
    subject,
    headers,
    attachments,
    ...(text ? { text } : {}),
    ...(html ? { html } : {}),
  }
  return { Raw: { Data: Buffer.from(built(mail), 'latin1').toString('base64') } }
}

function built(mail: Mail): string {
  try {
    return buildMail(mail).text
  } catch (error) {
    if (error instanceof MailInvalid) throw new DraftInvalid(error.message)
    throw error
  }
}

const dataAt = (part: JsonObject, field: string): unknown =>
  isPresent(part[field]) ? objectAt(part, field).Data : undefined

function partsOf(value: unknown, field: string): JsonObject[] {
  if (!isPresent(value)) return []
  if (!Array.isArray(value) || !value.every(isObject)) throw new DraftInvalid(`${field} must be an array of objects`)
  return value
}

const readable = ({ RawContent, FileName, ContentType, ContentId, ContentDisposition }: JsonObject) => ({
  content: RawContent,
  filename: FileName,
  contentType: ContentType,
  contentId: ContentId,
  disposition: typeof ContentDisposition === 'string' ? ContentDisposition.toLowerCase() : ContentDisposition,
})

/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors */
const SCOPES: ReadonlyMap<string, Scope> = new Map([
  ['AccountSuspended', 'configuration'],
  ['MailFromDomainNotVerified', 'configuration'],
  ['NotFound', 'configuration'],
  ['SendingPaused', 'configuration'],
])

function byCode(failed: FailedOutcome, code: string | undefined): FailedOutcome {
  // A quota of the account, which fills up again.
  if (code === 'LimitExceededException') return { kind: 'retry', error: failed.error, attempted: false }
  // One code for content and for identities that are not verified, such as every address in the sandbox.
  const isUnverified = code === 'MessageRejected' && /not verified|failed the check/i.test(failed.error)
  if (isUnverified && failed.kind === 'rejected') return { ...failed, scope: 'configuration' }
  return byAwsCode(failed, code, SCOPES)
}

function answerOf(reply: Reply): JsonObject {
  const answer = reply.kind === 'http' ? parseBody(reply) : undefined
  return isObject(answer) ? answer : {}
}

/** In a header, sometimes with an address behind a colon; in the body of some proxies, behind a `#`. */
function codeOf(reply: Reply): string | undefined {
  if (reply.kind !== 'http') return undefined
  const type: unknown = reply.headers['x-amzn-errortype'] ?? answerOf(reply).__type
  return typeof type === 'string' ? type.split(':')[0]?.split('#').at(-1) : undefined
}

function errorOf(body: unknown): string | undefined {
  if (!isObject(body)) return undefined
  const message = body.message ?? body.Message
  return typeof message === 'string' ? message : undefined
}

/** https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html; `Send` is no receipt. */
function receiptsOf(event: JsonObject, now: number): (Receipt | undefined)[] {
  const mail = partOf(event, 'mail')
  const deliveryId = listAt(partOf(mail, 'tags'), 'delivery_id')[0]
  const destination = listAt(mail, 'destination')
  // An event does not say which one of several addressees used the mail.
  const address = destination.length === 1 ? destination[0] : undefined
  const read = (kind: Receipt['kind'], { timestamp = mail.timestamp, ...fields }: JsonObject) =>
    readReceipt({ address, ...fields, deliveryId, kind, at: timestamp }, now)
  switch (event.eventType) {
    case 'Delivery': {
      const { timestamp } = partOf(event, 'delivery')
      const recipients = listAt(partOf(event, 'delivery'), 'recipients')
      if (recipients.length === 0) return [read('delivered', { timestamp })]
      return recipients.map((recipient) => read('delivered', { timestamp, address: recipient }))
    }
    case 'DeliveryDelay': {
      const { delayType, delayedRecipients, timestamp } = partOf(event, 'deliveryDelay')
      return partsIn(delayedRecipients).map(({ emailAddress, diagnosticCode }) =>
        read('delayed', { timestamp, address: emailAddress, error: diagnosticCode ?? delayType }),
      )
    }
    case 'Bounce': {
      const { bounceType, bounceSubType, bouncedRecipients, timestamp } = partOf(event, 'bounce')
      return partsIn(bouncedRecipients).map(({ emailAddress, status, diagnosticCode }) => {
        const isHard = bounceType === 'Permanent' && isAboutAddressee(emailAddress, status, diagnosticCode)
        return read('bounced', { timestamp, address: emailAddress, error: diagnosticCode ?? bounceSubType, isHard })
      })
    }
    case 'Complaint':
      return complaintsIn(partOf(event, 'complaint'), read)
    case 'Reject':
      return [read('bounced', { error: partOf(event, 'reject').reason })]
    case 'Rendering Failure':
      return [read('bounced', { error: partOf(event, 'failure').errorMessage })]
    case 'Open':
      return [read('opened', { timestamp: partOf(event, 'open').timestamp })]
    case 'Click': {
      const { link: url, timestamp } = partOf(event, 'click')
      return [read('clicked', { timestamp, url })]
    }
    case 'Subscription': {
      const { timestamp, newTopicPreferences } = partOf(event, 'subscription')
      const isOptOut = isObject(newTopicPreferences) && newTopicPreferences.unsubscribeAll === true
      return isOptOut ? [read('unsubscribed', { timestamp })] : []
    }
    default:
      return []
  }
}

/** Where SES refuses to send because of an earlier complaint, the mail never left; and the list may name who did not complain. */
function complaintsIn(
  { complainedRecipients, complaintFeedbackType: type, complaintSubType: subType, timestamp }: JsonObject,
  read: (kind: Receipt['kind'], fields: JsonObject) => Receipt | undefined,
): (Receipt | undefined)[] {
  const recipients = partsIn(complainedRecipients)
  const kind = isPresent(subType) ? ('bounced' as const) : complaintKind(type)
  const isOfAnyRecipient = kind !== 'bounced' && recipients.length > 1
  const error = subType || type
  return recipients.map(
    ({ emailAddress: address }) => kind && read(kind, { timestamp, address, error, isOfAnyRecipient }),
  )
}

const partOf = (value: JsonObject, field: string): JsonObject => (isObject(value[field]) ? value[field] : {})
const listAt = (value: JsonObject, field: string): unknown[] => (Array.isArray(value[field]) ? value[field] : [])
const partsIn = (list: unknown): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : [])
