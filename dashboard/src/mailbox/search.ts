/** The filters of the mailbox and the form of its open item as they stand in the address. */
import { oneOf, present, textOf } from '../parts/search-params.ts'

export const mailboxForms = ['shown', 'text', 'links', 'headers', 'source'] as const
export type MailboxForm = (typeof mailboxForms)[number]

export interface MailboxSearch {
  recipient?: string
  channel?: string
  form?: MailboxForm
}

export const mailboxSearch = ({ recipient, channel, form }: Record<string, unknown>): MailboxSearch =>
  present<MailboxSearch>({ recipient: textOf(recipient), channel: textOf(channel), form: oneOf(mailboxForms, form) })
