/** The filters of messages: those that every command shares, and those that choose messages for a change. */
import type { FindingCode, MessageFilter, MessageStatus, MessagesListQuery } from '@postrider/client'
import { type Command, InvalidArgumentError } from 'commander'

export interface Filters {
  address?: string
  recipient?: string
  event?: string
  notification?: string
  status?: MessageStatus[]
  provider?: string[]
  finding?: string[]
  tag?: string[]
  list?: string
  tenant?: string
  trace?: string
}

export const withFilters = (command: Command): Command =>
  withAttributes(command).option('-s, --status <status...>', 'only these statuses, for example SENT DELIVERED')

/** All but the status. */
export const withAttributes = (command: Command): Command =>
  command
    .option('-r, --recipient <id>', 'only this recipient', filled)
    .option('-a, --address <address>', 'only to this email address, telephone number or chat', filled)
    .option('-e, --event <event>', 'only this event', filled)
    .option('-n, --notification <id>', 'only this notification', filled)
    .option('--provider <provider...>', 'only these providers')
    .option('--finding <code...>', 'only messages with these mistakes, for example variable_missing')
    .option('--tag <tag...>', 'only these tags')
    .option('--list <id>', 'only messages sent to this list', filled)
    .option('--tenant <id>', 'only messages for this tenant', filled)
    .option('--trace <id>', 'only messages of this trace', filled)

/** Filters of commands that change what they choose. */
export interface ChoiceFilters extends Filters {
  after?: string
  before?: string
  reason?: string[]
  exceptReason?: string[]
  channel?: string[]
  error?: string
}

export const withChoice = (command: Command): Command =>
  command
    .option('--after <time>', 'only messages accepted after this time: ISO 8601 or milliseconds')
    .option('--before <time>', 'only messages accepted before this time')
    .option('--reason <reason...>', 'only these reasons, for example PROVIDER_ERROR EXPIRED')
    .option('--except-reason <reason...>', 'without these reasons, for example UNSUBSCRIBED')
    .option('--channel <channel...>', 'only messages that tried these channels')
    .option('--error <text>', 'only messages whose error contains this text')

/** The conditions that are given; empty without any. */
export const choiceOf = ({
  after,
  before,
  reason,
  exceptReason,
  channel,
  error,
  ...filters
}: ChoiceFilters): MessageFilter =>
  Object.fromEntries(
    Object.entries({
      ...queryOf(filters),
      ...{ enqueued_after: after, enqueued_before: before, channel, error },
      reason: reason?.map(inCapitals),
      except_reason: exceptReason?.map(inCapitals),
    }).filter(([, value]) => value !== undefined),
  )

/** Whether a filter has a condition besides exclusions, which leave nearly everything. */
export const isNarrowed = (filter: MessageFilter): boolean =>
  Object.keys(filter).some((condition) => condition !== 'except_reason')

const inCapitals = (name: string) => name.toUpperCase()

export const queryOf = ({
  address,
  recipient,
  event,
  notification,
  status,
  provider,
  finding,
  tag,
  list,
  tenant,
  trace,
}: Filters): MessagesListQuery => ({
  address,
  recipient,
  event,
  notification,
  status: status?.map((name) => name.toUpperCase() as MessageStatus),
  provider,
  finding: finding?.map((name) => name.toLowerCase() as FindingCode),
  tag,
  list,
  tenant_id: tenant,
  traceId: trace,
})

/**
 * Whether a filter depends on values that a message gets only when it is processed, maybe hours after it was accepted.
 */
export const matchesLate = ({ address, status, provider, finding, notification }: MessagesListQuery): boolean =>
  [address, status, provider, finding, notification].some((filter) => filter !== undefined)

/** Left empty by a variable that is not set, it would list everything. */
function filled(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

export const count =
  (most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < 1 || value > most)
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`)
    return value
  }
