/** How values stand in sentences: times, codes, the names of channels. */
import type { Channel } from './generated.ts'

/** How values stand in a sentence. */
export interface SentenceFormat {
  /** `at`: milliseconds since the Unix epoch. */
  time(at: number): string
  duration(ms: number): string
  /** `Ada, Grace and Lin`. */
  list(items: readonly string[]): string
}

/** A code or an id in a clause. */
export const code = (value: string) => `\`${value.replaceAll('`', "'")}\``
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
