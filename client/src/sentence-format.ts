/** How values stand in sentences: times, codes, the names of channels. */
import type { Channel } from './generated.ts'

/** How values stand in a sentence. */
export interface SentenceFormat {
  /** `at`: milliseconds since the Unix epoch. */
  time(at: number): string
  duration(ms: number): string
  /** `Ada, Grace and Lin`. */
  list(items: readonly string[]): string
  /** The name of a template or a topic; undefined where only its id is known. */
  nameOf?(kind: 'template' | 'topic', id: string): string | undefined
}

/** A code or an id in a clause. */
export const code = (value: string) => `\`${value.replaceAll('`', "'")}\``
export const nameOfId = (kind: 'template' | 'topic', id: string, { nameOf }: Pick<SentenceFormat, 'nameOf'>): string =>
  nameOf?.(kind, id) ?? code(id)
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

export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Where a preference stands that stops a message, as far as its step knows. */
export interface PreferencePlace {
  source: 'send' | 'subscription' | 'list' | 'recipient' | 'tenant' | 'topic'
  topic: string | undefined
  tenant: string | undefined
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
