/** The filters of the mailbox and the part of its open item as they stand in the address. */
import { oneOf, present, textOf } from '../parts/search-params.ts'

export const mailboxParts = ['shown', 'text', 'links', 'source', 'request'] as const
export type MailboxPart = (typeof mailboxParts)[number]

export interface MailboxSearch {
  recipient?: string
  channel?: string
  part?: MailboxPart
  /** New items wait for the next look instead of appearing on top. */
  still?: boolean
}

export const withoutFilters = ({ recipient: _, channel: __, ...others }: MailboxSearch): MailboxSearch => others

export const mailboxSearch = ({ recipient, channel, part, still }: Record<string, unknown>): MailboxSearch =>
  present<MailboxSearch>({
    ...{ recipient: textOf(recipient), channel: textOf(channel), part: oneOf(mailboxParts, part) },
    still: still === true ? true : undefined,
  })
