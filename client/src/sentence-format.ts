/** How values stand in sentences: times, codes, the names of channels. */
import type { Channel, SuppressionReason } from './generated.ts'

/** How values stand in a sentence. */
export interface SentenceFormat {
  /** `at`: milliseconds since the Unix epoch. */
  time(at: number): string
  duration(ms: number): string
  /** `Ada, Grace and Lin`. */
  list(items: readonly string[]): string
  /** The name of a template, a topic or a provider; undefined where only its id is known. */
  nameOf?(kind: 'template' | 'topic' | 'provider', id: string): string | undefined
  /** An error in the reader's language, where the server wrote it. Default: as it is. */
  error?(text: string): string
}

/** A code or an id in a clause. */
export const code = (value: string) => `\`${value.replaceAll('`', "'")}\``
export const nameOfId = (kind: 'template' | 'topic', id: string, { nameOf }: Pick<SentenceFormat, 'nameOf'>): string =>
  nameOf?.(kind, id) ?? code(id)
/** Kinds of authors in the middle of a sentence, by the part of a source before its first slash. */
export interface SourceTexts {
  key(name: string): string
  inbound: string
  operator: string
  recipient: string
}

const sources: SourceTexts = {
  key: (name) => `the key ${name}`,
  inbound: 'a text message of the recipient',
  operator: 'an operator',
  recipient: 'the recipient',
}

/** The author of a change as records have it: `key/backend`, `provider/smtp`, `operator`. Others stay as they are. */
export function sourceText(
  source: string,
  { nameOf }: Pick<SentenceFormat, 'nameOf'> = {},
  words: SourceTexts = sources,
): string {
  const [kind = '', ...rest] = source.split('/')
  const name = rest.join('/').replaceAll('`', "'")
  if (kind === 'key' && name !== '') return words.key(name)
  if (kind === 'provider' && name !== '') return nameOf?.('provider', name) ?? name
  if (kind === 'inbound' && name !== '') return words.inbound
  return source === 'operator' || source === 'recipient' ? words[source] : code(source)
}

/** The words of a provider at the end of a clause; empty where the reader does not see them. */
export const saying = (error: string) => (error === '' ? '' : `: ${code(error)}`)

export const channels: Record<Channel, string> = {
  email: 'email',
  sms: 'SMS',
  push: 'push',
  direct_message: 'chat',
  inbox: 'inbox',
  webhook: 'webhook',
}

export const decapitalized = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Where a preference stands that stops a message, as far as its step knows. */
export interface PreferencePlace {
  source: 'send' | 'subscription' | 'list' | 'recipient' | 'tenant' | 'topic'
  topic: string | undefined
  tenant: string | undefined
}

/** The only channels that preferences allow. */
export interface ChannelChoice {
  channels: readonly string[]
  /** Undefined where the reader does not see it. */
  source: PreferencePlace['source'] | undefined
}

/** A clause in the middle of a sentence. */
export function channelChoiceText({ channels: names, source }: ChannelChoice, { list }: SentenceFormat): string {
  const only = list(names.map((channel) => (channels as Record<string, string>)[channel] ?? channel))
  switch (source) {
    case 'send':
      return `the preferences of the send allow only ${only}`
    case 'subscription':
      return `the subscription to the list allows only ${only}`
    case 'list':
      return `the preferences of the list allow only ${only}`
    case 'recipient':
      return `the recipient chose to get such messages by ${only} only`
    case 'tenant':
      return `the default of the tenant allows only ${only}`
    case 'topic':
      return `the default of the topic allows only ${only}`
    case undefined:
      return `the preferences allow only ${only}`
  }
}

export function preferencePlace({ source, topic, tenant }: PreferencePlace, format: SentenceFormat): string {
  const forTopic = topic === undefined ? '' : ` for the topic ${nameOfId('topic', topic, format)}`
  switch (source) {
    case 'send':
      return 'The preferences of the send say so'
    case 'subscription':
      return 'The subscription to the list says so'
    case 'list':
      return 'The preferences of the list say so'
    case 'recipient':
      return `That is the choice${forTopic}${tenant === undefined ? '' : ` in the tenant ${code(tenant)}`}`
    case 'tenant':
      return `That is the default of the tenant${tenant === undefined ? '' : ` ${code(tenant)}`}${forTopic}`
    case 'topic':
      return `That is the default of the topic${topic === undefined ? '' : ` ${nameOfId('topic', topic, format)}`}`
  }
}

export const suppressionReasons: Readonly<Record<SuppressionReason, string>> = {
  hard_bounce: 'the address does not exist',
  complaint: 'the recipient complained',
  invalid_address: 'the address is invalid',
  unsubscribed: 'the recipient unsubscribed',
  manual: 'added by hand',
}

/** Why an address is suppressed, and who added it; a key is no person. */
export function suppressionCause(
  reason: SuppressionReason,
  source: string,
  format: Pick<SentenceFormat, 'nameOf'>,
  { reasons, authors, added, by, withKey }: SuppressionCauses = englishCauses,
): string {
  const author = sourceText(source, format, { ...authors, key: (name) => withKey(code(name)) })
  const origin = source.startsWith('key/') ? author : by(author)
  return reason === 'manual' ? `${reasons.manual}, ${origin}` : `${reasons[reason]} (${added} ${origin})`
}

export interface SuppressionCauses {
  reasons: Readonly<Record<SuppressionReason, string>>
  authors: SourceTexts
  added: string
  by(author: string): string
  withKey(name: string): string
}

const englishCauses: SuppressionCauses = {
  reasons: suppressionReasons,
  authors: sources,
  added: 'added',
  by: (author) => `by ${author}`,
  withKey: (name) => `with the key ${name}`,
}
