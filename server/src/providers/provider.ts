/** The definition of a provider: its name, its settings, the profile keys it needs, pure code that composes requests, and readers of its draft. */
import type { Channel, MessageDevice } from '@postrider/contract'
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type {
  ConnectRequest,
  CopiesMail,
  CopiesRequest,
  CopyNotTaken,
  HttpReply,
  HttpRequest,
  Reply,
  Request,
  SignInRequest,
} from '../base/exchange.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import type { Content, Dialect } from '../base/rendered-content.ts'
import type { Callbacks } from './callback.ts'
import { excessOf, type SizeLimits } from './limits.ts'
import { type FailedOutcome, type Gone, type Outcome, rejected, type Scope } from './outcome.ts'

export type { Outcome } from './outcome.ts'

/** The message as an adapter may see it. Token-like profile values are masked in `profile`. */
export interface MessageView {
  id: string
  /** Stable over the attempts of one delivery: idempotency key and mail id. */
  deliveryId: string
  workspace: string
  event: string
  notification: string
  recipient: string
  data: JsonObject
  /** Without secrets; computed on demand, because few adapters send it. */
  profile(): JsonObject
}

/** Options of `override.channel.email` beside subject, html and text. */
export interface EmailOptions {
  from?: unknown
  replyTo?: unknown
  cc?: unknown
  bcc?: unknown
  headers?: unknown
  attachments?: unknown
}

/** Options of `override.channel.push` beside title and body. */
export interface PushOptions {
  icon?: unknown
  data?: unknown
  clickAction?: unknown
}

/** The token that a push provider issued for a device, and the properties that were stored with it. */
export interface DeviceToken {
  token: string
  properties?: JsonObject
}

export interface Composition<To, Settings> {
  content: Content
  channel: Channel
  email: EmailOptions
  push: PushOptions
  to: To
  /** Without secrets: a draft may be shown. */
  settings: Settings
  message: MessageView
  /** The locale of the recipient, or of this one message. */
  locale?: string
}

export interface Attempt<To, Draft, Settings> {
  draft: Draft
  to: To
  /** With secrets, and with `override.<provider>.config` merged in. */
  settings: Settings
  message: MessageView
  channel: Channel
  now: number
  /** The randomness of this attempt: adapters have none of their own. */
  random(size: number): Uint8Array
  /** Where the provider is to report to, for an API that takes the address with each message; absent without a public one. */
  callbackUrl?: string
  /** The address of this delivery in the mailbox for bounces: `bounces+<token>@example.org`. */
  bounceAddressFor?(mailbox: string, addressee: string, ofCopies: boolean): string
}

/** A check of an integration that sends nothing: a sign-in, an authorized call, a connection. */
export interface SignIn {
  request: HttpRequest | SignInRequest | ConnectRequest
  /** The reason in the reply why the integration cannot send; undefined when it can. */
  failureIn(reply: Reply): string | undefined
  /** The check that follows a good reply: what a token opens. */
  next?(reply: Reply): SignIn | undefined
}

/** Results of messages that a provider keeps until they are read: it reports nothing by itself. */
export interface KeptResults<Settings> {
  /** When they can be read, counted from the acceptance, and until when the provider keeps them. */
  afterMs: number
  keptMs: number
  /** The ids in one request, at most: `id` of the reference of each delivery. */
  idsMax: number
  request(ids: readonly string[], settings: Settings): HttpRequest
  /** By id; one without an entry has no result yet. Undefined for a reply that is no answer. */
  read(reply: Reply): ReadonlyMap<string, DeliveryResult> | undefined
}

/** Without an error the provider has passed the message on, and knows nothing more about it. */
export interface DeliveryResult {
  error?: string
  /** The address is gone for good. */
  gone?: Gone
  address?: string
}

/** Several messages in one call: `inBatch` of a request says how the message goes into it. */
export interface MessageBatch {
  /** Messages in a call. */
  max: number
  /**
   * The reply that each of `count` messages would have had alone, in their order. Undefined where the service says nothing
   * about each of them.
   */
  replies(reply: HttpReply, count: number): readonly HttpReply[] | undefined
}

/** `settings` as for an attempt: with secrets, and with the `config` of the override. */
export interface CopiesDelivery<Settings> {
  mail: CopiesMail
  settings: Settings
  now: number
}

export interface CopiesOutcome {
  notTaken: readonly CopyNotTaken[]
  /** The service said nothing about the copies: it was not reached, or refused the sign-in. */
  isUnreachable?: boolean
}

/** Yields at most four requests, receives the replies, returns the outcome. */
export type CopiesGenerator = Generator<CopiesRequest | HttpRequest, CopiesOutcome, Reply>

/** The facts about a provider that the rest of the server may use, beside its settings. */
interface Capabilities {
  /** Keeps messages instead of sending them, and is not used where a real integration serves the channel. */
  sandbox: boolean
}

/** One accepted message. The guide shows it, and the tests that hold for every provider send it. */
interface Example<Settings> {
  settings: Settings
  /** A profile that the provider reaches. */
  profile: JsonObject
  /** A value of `override.<provider>`. */
  override?: JsonObject
  /** The JSON, or the text, with which the API accepts every request of the example. */
  reply?: JsonObject | string
  /** The status of that reply, where it is not 200. */
  status?: number
  /** Replies of 200 that are no acceptance, and their outcomes: the tests that hold for every provider try them. */
  rejections?: readonly { reply: JsonObject; outcome: { kind: FailedOutcome['kind']; scope?: Scope } }[]
}

/** The recipient of a message, and for a push the devices with a token. */
export interface Addressee {
  recipient: string
  channel?: Channel
  devices?: readonly MessageDevice[]
}

export interface Devices<To> {
  /** Those that a profile names. */
  inProfile(profile: JsonObject): readonly DeviceToken[]
  /** Undefined where the token is none of this provider. */
  contact(device: DeviceToken): To | undefined
}

/** The DNS records that a mail service needs at the domains of its senders, as far as they are the same for all. */
export interface SenderRecords {
  /** The names of its servers for SMTP, in lower case. */
  hosts?: RegExp
  /** The domain that SPF records include, where the envelope sender is at a domain of its customer. Without one it is at a domain of the service. */
  spfInclude?: string
  /** The usual selectors of its DKIM keys; absent where each domain has others. */
  selectors?: readonly string[]
}

export interface Provider<To = unknown, Draft extends JsonObject = JsonObject, S extends TObject = TObject> {
  /** The name on the wire: `sendgrid`. */
  key: string
  /** Further names of it on the wire: `nexmo` of `vonage`. */
  aliases: readonly string[]
  title: string
  description: string
  /** Empty for the built-in sandbox. */
  website: string
  channels: readonly Channel[]
  dialect: Dialect
  /** TypeBox object; secrets carry `{ secret: true }`, keys that decide where requests go `{ destination: true }`. */
  settings: S
  capabilities: Capabilities
  /** The sizes that the service publishes: a larger message is rejected before it leaves. */
  limits?: SizeLimits
  example: Example<Static<S>>
  /** Profile keys of people; one of them is enough: `email`. */
  profileKeys: readonly string[]
  /** Where they differ from channel to channel. */
  profileKeysByChannel?: Readonly<Partial<Record<Channel, readonly string[]>>>
  /** The profile that reaches an address: a token, a channel, a web address. Default: that of a mail address or a number. */
  profileOf?(address: string): JsonObject
  /** Dotted paths in a profile to objects with an address of their own: the secrets in them go to that address only. */
  ownAddresses?: readonly string[]
  /** Why settings that are valid one by one cannot work together: `key: sentence`. */
  settingsError?(settings: Static<S>): string | undefined
  /** The address in a merged profile, or undefined when this provider cannot reach the recipient. */
  contact(profile: JsonObject, settings: Static<S>, message: Addressee): To | undefined
  /** Push providers: the devices of a recipient, each of which gets a delivery of its own. */
  devices?: Devices<To>
  /** The draft of the request, free of secrets. `override.<key>` is deep-merged onto it. Throws `DraftInvalid`. */
  compose(composition: Composition<To, Static<S>>): Draft
  /** Mail services: the DNS records of their senders. A mail server has none. */
  senderRecords?: SenderRecords
  /** How it reports the later results of messages; absent where it does not. */
  callbacks?: Callbacks<Static<S>>
  /** How its later results are read; absent where it reports them, or has none. */
  results?: KeptResults<Static<S>>
  /** A check of these settings, with secrets; undefined where only a message would show it. */
  signIn?(settings: Static<S>, now: number): SignIn | undefined
  /** Where the service takes several whole messages in one call. */
  batch?: MessageBatch
  /** Hands a mail over to copies that were refused for now; present where an outcome may have such a mail. */
  deliverCopies?(delivery: CopiesDelivery<Static<S>>): CopiesGenerator
  /** Yields at most four requests, receives the replies, returns the outcome. */
  deliver(attempt: Attempt<To, Draft, Static<S>>): Generator<Request, Outcome, Reply>
}

/** A provider as its file writes it: settings one by one, only the capabilities it has. */
type Definition<To, Draft extends JsonObject, P extends TProperties> = Omit<
  Provider<To, Draft, TObject<P>>,
  'settings' | 'capabilities' | 'aliases'
> & { settings: P; aliases?: readonly string[]; capabilities?: Partial<Capabilities> }

/** Thrown by an adapter before a request leaves: the attempt ends as `rejected`. */
export class Rejection extends Error {
  override readonly name: string = 'Rejection'
  readonly scope: Scope

  constructor(scope: Scope, message: string) {
    super(message)
    this.scope = scope
  }
}

/** The content or the override cannot be given to this provider; the text is shown in history. */
export class DraftInvalid extends Rejection {
  override readonly name = 'DraftInvalid'

  constructor(message: string) {
    super('content', message)
  }
}

/** Keeps the types of one adapter together while it is written; afterwards all adapters have one type. */
export function defineProvider<To, Draft extends JsonObject, P extends TProperties>(
  definition: Definition<To, Draft, P>,
): Provider {
  const { title, limits } = definition
  const provider: Provider<To, Draft, TObject<P>> = {
    ...definition,
    aliases: definition.aliases ?? [],
    settings: Type.Object(definition.settings, { additionalProperties: false }),
    capabilities: { sandbox: false, ...definition.capabilities },
    *deliver(attempt) {
      try {
        const requests = definition.deliver(attempt)
        return yield* limits ? withinLimits(requests, limits, title) : requests
      } catch (error) {
        if (error instanceof Rejection) return rejected(error.scope, error.message)
        throw error
      }
    },
  }
  return provider as unknown as Provider
}

/** Ends a delivery whose request is too large before it leaves. */
function* withinLimits(
  delivery: Generator<Request, Outcome, Reply>,
  limits: SizeLimits,
  title: string,
): Generator<Request, Outcome, Reply> {
  let step = delivery.next()
  while (!step.done) {
    const error = excessOf(step.value, limits, title)
    if (error !== undefined) throw new Rejection('content', error)
    step = delivery.next(yield step.value)
  }
  return step.value
}

export const isSandbox = ({ capabilities }: Pick<Provider, 'capabilities'>): boolean => capabilities.sandbox

/** Its key first. */
export const namesOf = ({ key, aliases }: Pick<Provider, 'key' | 'aliases'>): string[] => [key, ...aliases]

export const isNamed = (provider: Pick<Provider, 'key' | 'aliases'>, name: string): boolean =>
  provider.key === name || provider.aliases.includes(name)

/** The value that a send has under one of the names of a provider; its key wins. */
export function valueFor<Value>(
  provider: Pick<Provider, 'key' | 'aliases'>,
  byName: Readonly<Record<string, Value>> | undefined,
): Value | undefined {
  const name = byName && namesOf(provider).find((candidate) => Object.hasOwn(byName, candidate))
  return name === undefined ? undefined : byName?.[name]
}

export function objectAt(draft: JsonObject, key: string): JsonObject {
  const value = draft[key]
  if (!isObject(value)) throw new DraftInvalid(`${key} must be an object`)
  return value
}

/** Absent, null and the empty string all mean absent. */
export const isPresent = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

/** A string, or undefined when it is absent. */
export function textAt(value: unknown, field: string): string | undefined {
  if (!isPresent(value)) return undefined
  if (typeof value !== 'string') throw new DraftInvalid(`${field} must be a string`)
  return value
}

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** A string for a header line or an address: control characters and line separators are refused. */
export function lineAt(value: unknown, field: string): string | undefined {
  const text = textAt(value, field)
  if (text !== undefined && CONTROL.test(text)) throw new DraftInvalid(`${field} must not contain line breaks`)
  return text
}

const HEADER_NAME = /^[A-Za-z0-9-]{1,76}$/
const HEADERS_MAX = 50

/** Custom headers: plain names, one line each, none that the adapter or the transport writes. */
export function headersAt(
  value: unknown,
  field: string,
  isReserved: (name: string) => boolean,
): Record<string, string> {
  if (!isPresent(value)) return {}
  if (!isObject(value)) throw new DraftInvalid(`${field} must be an object`)
  const names = Object.keys(value)
  if (names.length > HEADERS_MAX) throw new DraftInvalid(`${field} has more than ${HEADERS_MAX} headers`)
  const headers: Record<string, string> = {}
  for (const name of names) {
    if (!HEADER_NAME.test(name)) throw new DraftInvalid(`${field} has a name that is not a header name`)
    if (isReserved(name)) throw new DraftInvalid(`${field}.${name} cannot be set`)
    const item = value[name]
    const text = lineAt(typeof item === 'number' ? String(item) : item, `${field}.${name}`)
    if (text !== undefined) headers[name] = text
  }
  return headers
}
