/** Counts the forecasts of the rows of a file: who would get a message by which integration, who would not and why. */
import type { BulkUserForecast, DecisionCode, Reason } from '@postrider/client'
import { countText } from '../../../count-text.ts'
import { plain } from '../../../plain.ts'
import { table } from '../../../table.ts'

type Delivery = BulkUserForecast['deliveries'][number]

interface DeliveryCount extends Delivery {
  recipients: number
}

interface CauseCount extends Pick<BulkUserForecast, 'status' | 'reason' | 'code'> {
  cause: string
  rows: number
  /** The first ones. */
  lines: number[]
}

interface NamedRows<Names extends string> {
  rows: number
  /** The first ones. */
  first: ({ line: number } & Record<Names, readonly string[]>)[]
}

export interface ForecastCount {
  rows: number
  /** Rows that the job would not take. */
  invalid: number
  /** The same row again: the job takes it once. */
  repeated: number
  /** Rows that the job has, which was run or canceled before. */
  present: number
  sent: number
  /** Those of `sent` that wait for their time. */
  delayed: number
  /** With a mock key no provider is called. */
  simulated: number
  digested: number
  notSent: number
  deliveries: Map<string, DeliveryCount>
  causes: Map<string, CauseCount>
  missing: NamedRows<'variables'>
  /** Messages that go another way, because an address of the row cannot be used. */
  unusable: NamedRows<'keys'>
}

export const newForecastCount = (): ForecastCount => ({
  ...{ rows: 0, invalid: 0, repeated: 0, present: 0, sent: 0, delayed: 0, simulated: 0, digested: 0, notSent: 0 },
  ...{ deliveries: new Map(), causes: new Map(), missing: { rows: 0, first: [] }, unusable: { rows: 0, first: [] } },
})

/** More lines say nothing that the first ones do not; `--errors` has all of them. */
const FIRST_MAX = 10

/** The row gets no message of its own now: what `bulk send` would count as failed. */
export const isNotSent = ({ deliveries, status }: BulkUserForecast) => deliveries.length === 0 && status !== 'DIGESTED'

export function countForecast(count: ForecastCount, forecast: BulkUserForecast, line: number): void {
  const { status, deliveries, missing, unusable } = forecast
  if (status === 'DIGESTED') count.digested += 1
  else if (isNotSent(forecast)) countCause(count, forecast, line)
  else count.sent += 1
  if (status === 'DELAYED') count.delayed += 1
  if (status === 'SIMULATED') count.simulated += 1
  for (const delivery of deliveries) {
    const key = `${delivery.channel} ${delivery.integration}`
    const { recipients } = count.deliveries.get(key) ?? { recipients: 0 }
    count.deliveries.set(key, { ...delivery, recipients: recipients + 1 })
  }
  if (missing) addRow(count.missing, { line, variables: missing })
  if (unusable && !isNotSent(forecast)) addRow(count.unusable, { line, keys: unusable })
}

function addRow<Names extends string>(named: NamedRows<Names>, row: NamedRows<Names>['first'][number]): void {
  named.rows += 1
  if (named.first.length < FIRST_MAX) named.first.push(row)
}

function countCause(count: ForecastCount, forecast: BulkUserForecast, line: number): void {
  const { status, reason, code } = forecast
  const cause = causeOf(forecast)
  const named = { ...(reason && { reason }), ...(code && { code }) }
  const entry = count.causes.get(cause) ?? { cause, status, ...named, rows: 0, lines: [] }
  count.notSent += 1
  entry.rows += 1
  if (entry.lines.length < FIRST_MAX) entry.lines.push(line)
  count.causes.set(cause, entry)
}

/** Codes that say more than the reason. */
const causesByCode: Partial<Record<DecisionCode, string>> = {
  channels_opted_out: 'opted out of the channels',
  condition_failed: 'condition that cannot be evaluated',
  channel_conditions_failed: 'condition that cannot be evaluated',
}

const causesByReason: Partial<Record<Reason, string>> = {
  FILTERED: 'condition not met',
  NO_CHANNELS: 'no channel',
  NO_PROVIDERS: 'no usable integration',
  INCOMPLETE_PROFILE_DATA: 'no address',
  OPT_IN_REQUIRED: 'not opted in',
  PROVIDER_ERROR: 'an integration has to be repaired',
  UNPUBLISHED: 'template not published',
  UNSUBSCRIBED: 'opted out',
  FAILED: 'content that cannot be rendered',
  EXPIRED: 'too late',
  SUPPRESSED: 'suppressed address',
}

function causeOf({ status, reason, code, unusable, missing }: BulkUserForecast): string {
  if (unusable) return `bad address (${unusable.join(', ')})`
  // Its template is not sent without them.
  if (reason === 'FAILED' && missing) return 'variables without a value'
  const cause = (code && causesByCode[code]) ?? (reason && causesByReason[reason])
  if (cause !== undefined) return cause
  return status === 'FILTERED' ? 'condition not met' : status === 'CANCELED' ? 'being erased' : status
}

const bySize = <Counted>(counts: Map<string, Counted>, size: (counted: Counted) => number): Counted[] =>
  [...counts.values()].sort((left, right) => size(right) - size(left))

/** As `--json` has it. */
export function forecastValue({ deliveries, causes, ...count }: ForecastCount) {
  return {
    ...count,
    deliveries: bySize(deliveries, ({ recipients }) => recipients),
    causes: bySize(causes, ({ rows }) => rows),
  }
}

export function forecastText(count: ForecastCount): string {
  const parts = [sentence(count)]
  const { deliveries, causes } = forecastValue(count)
  if (deliveries.length > 0)
    parts.push(
      table(
        [
          { title: 'CHANNEL' },
          { title: 'INTEGRATION', charactersMax: 40 },
          { title: 'PROVIDER' },
          { title: 'RECIPIENTS' },
        ],
        deliveries.map(({ channel, title, provider, recipients }) => [channel, title, provider, recipients]),
      ),
    )
  if (causes.length > 0)
    parts.push(
      table(
        [{ title: 'NOT SENT', charactersMax: 60 }, { title: 'ROWS' }, { title: 'LINES' }],
        causes.map(({ cause, rows, lines }) => [cause, rows, listed(lines, rows)]),
      ),
    )
  const { missing, unusable } = count
  if (unusable.rows > 0)
    parts.push(namedRows(unusable, 'keys', ['sent another way: an address cannot be used', 'ADDRESS']))
  if (missing.rows > 0) parts.push(namedRows(missing, 'variables', ['without a value for a variable', 'VARIABLES']))
  return parts.join('\n\n')
}

function namedRows<Names extends string>(
  { rows, first }: NamedRows<Names>,
  names: Names,
  [about, title]: [string, string],
): string {
  const lines = table(
    [{ title: 'LINE' }, { title }],
    first.map((row) => [row.line, row[names].join(', ')]),
  )
  const more = rows > first.length ? `\n… and ${rows - first.length} more` : ''
  return `${countText(rows, 'row')} ${about}:\n${lines}${more}`
}

const listed = (lines: readonly number[], total: number) => `${lines.join(', ')}${total > lines.length ? ', …' : ''}`

function sentence({
  rows,
  sent,
  delayed,
  simulated,
  digested,
  notSent,
  repeated,
  present,
  invalid,
}: ForecastCount): string {
  const later = delayed > 0 ? ` (${delayed} later)` : ''
  const parts = [
    simulated > 0 ? `${countText(sent, 'message')} would be simulated` : `${countText(sent, 'message')} would be sent`,
    ...(digested > 0 ? [`${digested} would be added to a digest`] : []),
    ...(notSent > 0 ? [`${notSent} would not`] : []),
    ...(present > 0 ? [`${present} already in the job`] : []),
    ...(repeated > 0 ? [`${countText(repeated, 'row')} repeated`] : []),
    ...(invalid > 0 ? [`${countText(invalid, 'row')} invalid`] : []),
  ]
  return `${countText(rows, 'row')} checked, nothing was sent: ${parts[0]}${later}${parts
    .slice(1)
    .map((part) => `, ${part}`)
    .join('')}.`
}

/** Why a row is named: it gets no message, one that goes another way, or one with an unfilled variable. */
export function rowProblem(forecast: BulkUserForecast): string | undefined {
  const { error, reason, status, missing, unusable } = forecast
  const quoted = (names: readonly string[]) => names.map((name) => `\`${plain(name)}\``).join(', ')
  const notes = missing ? [`No value for ${quoted(missing)}`] : []
  if (isNotSent(forecast)) return [error ?? reason ?? status, ...notes].join(' ')
  if (unusable) notes.unshift(`No usable value in ${quoted(unusable)}`)
  return notes.length > 0 ? notes.join(', ') : undefined
}
