/** The filters that `messages list` and `messages tail` share. */
import type { MessageStatus, MessagesListQuery } from '@postrider/client'
import { type Command, InvalidArgumentError } from 'commander'

export interface Filters {
  recipient?: string
  event?: string
  notification?: string
  status?: MessageStatus[]
  provider?: string[]
  tag?: string[]
}

export const withFilters = (command: Command): Command =>
  command
    .option('-r, --recipient <id>', 'only this recipient')
    .option('-e, --event <event>', 'only this event')
    .option('-n, --notification <id>', 'only this notification')
    .option('-s, --status <status...>', 'only these statuses, for example SENT DELIVERED')
    .option('--provider <provider...>', 'only these providers')
    .option('--tag <tag...>', 'only these tags')

export const queryOf = ({ recipient, event, notification, status, provider, tag }: Filters): MessagesListQuery => ({
  recipient,
  event,
  notification,
  status: status?.map((name) => name.toUpperCase() as MessageStatus),
  provider,
  tag,
})

export const count =
  (most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < 1 || value > most)
      throw new InvalidArgumentError(`It is a whole number from 1 to ${most}.`)
    return value
  }
