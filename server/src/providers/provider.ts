/** What a provider is: its name, its settings, the profile keys it needs, and pure code that says what to send. */
import type { Channel } from '@postrider/contract'
import type { Static, TObject } from 'typebox'
import type { ConnectRequest, HttpRequest, Reply, Request, SignInRequest } from '../base/exchange.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Content, Dialect } from '../base/rendered-content.ts'

/** How one attempt ended; each kind maps to exactly one act in `pipeline/deliver`. */
export type Outcome =
  | {
      kind: 'sent'
      /** What the provider calls it, shown in `providers[].reference`. */
      reference: Record<string, string>
      /** True where acceptance is delivery (mailbox, inbox, webhook, chat). */
      delivered: boolean
    }
  | {
      kind: 'retry'
      error: string
      /** The provider's own wish, from `Retry-After` or its dialect. */
      retryAfterMs?: number
      /** A 429 postpones without using up an attempt. */
      attempted: boolean
    }
  | {
      kind: 'rejected'
      error: string
      /**
       * `recipient`: the address is bad, another integration of the channel would fail as well, the next channel may work.
       * `configuration`: this integration cannot send, the next one may. `content`: the provider refuses what we said.
       */
      scope: 'recipient' | 'configuration' | 'content'
    }
  | { kind: 'in_doubt'; error: string }

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
  /** Without secrets; made for the few that tell it to somebody. */
  profile(): JsonObject
}

/** What `override.channel.email` may add beside subject, html and text. */
export interface EmailOptions {
  from?: unknown
  replyTo?: unknown
  cc?: unknown
  bcc?: unknown
  headers?: unknown
  attachments?: unknown
}

export interface Composition<To, Settings> {
  content: Content
  channel: Channel
  email: EmailOptions
  to: To
  /** Secrets are absent here: what is composed may be shown. */
  settings: Settings
  message: MessageView
}

export interface Attempt<To, Draft, Settings> {
  draft: Draft
  to: To
  /** With secrets, and with `override.<provider>.config` merged in. */
  settings: Settings
  message: MessageView
  channel: Channel
  now: number
}

/** A check of an integration that sends nothing: a sign-in, an authorized call, a connection. */
export interface SignIn {
  request: HttpRequest | SignInRequest | ConnectRequest
  /** The reason in the reply why the integration cannot send; undefined when it can. */
  faultIn(reply: Reply): string | undefined
}

export interface Provider<To = unknown, Draft extends JsonObject = JsonObject, S extends TObject = TObject> {
  /** The name on the wire: `sendgrid`. */
  key: string
  title: string
  description: string
  website: string
  channels: readonly Channel[]
  dialect: Dialect
  /** TypeBox object; secrets carry `{ secret: true }`, keys that decide where requests go `{ destination: true }`. */
  settings: S
  /** The profile keys of which it needs one, for people: `email`. */
  profileKeys: readonly string[]
  /** Where they differ from channel to channel. */
  profileKeysByChannel?: Readonly<Record<Channel, readonly string[]>>
  /** Dotted paths in a profile to objects with an address of their own: the secrets in them go to that address only. */
  ownAddresses?: readonly string[]
  /** What keeps settings from ever working together that are fine each by itself: `key: sentence`. */
  settingsFault?(settings: Static<S>): string | undefined
  /** The address in a merged profile, or undefined when this provider cannot reach the recipient. */
  contact(profile: JsonObject, settings: Static<S>, message: { recipient: string; channel?: Channel }): To | undefined
  /** What to send, free of secrets. `override.<key>` is deep-merged onto it. Throws `DraftInvalid` for unusable input. */
  compose(composition: Composition<To, Static<S>>): Draft
  /** A check of these settings, with secrets; undefined where only a message would show it. */
  signIn?(settings: Static<S>): SignIn | undefined
  /** Yields at most four requests, receives the replies, returns the outcome. */
  deliver(attempt: Attempt<To, Draft, Static<S>>): Generator<Request, Outcome, Reply>
}

/** The built-in mailbox: it keeps what real providers would send. */
export const isSandbox = ({ key }: Pick<Provider, 'key'>): boolean => key === 'mailbox'

/** The content or the override cannot be given to this provider; the text is shown in history. */
export class DraftInvalid extends Error {
  override readonly name = 'DraftInvalid'
}

/** Keeps the types of one adapter together while it is written; afterwards all adapters have one type. */
export function provider<To, Draft extends JsonObject, S extends TObject>(
  definition: Provider<To, Draft, S>,
): Provider {
  return definition as unknown as Provider
}
