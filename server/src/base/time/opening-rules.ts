/** Rules of opening hours, as OpenStreetMap writes them: https://wiki.openstreetmap.org/wiki/Key:opening_hours/specification. */

/** The rule cannot be read. */
export class OpeningHoursInvalid extends Error {
  override readonly name = 'OpeningHoursInvalid'
}

/** Minutes from the midnight that its day begins with; `until` may lie in the next day. */
export interface Span {
  from: number
  until: number
}

export interface Rule {
  /** 1 is Monday, 7 Sunday; undefined: every day. */
  days: ReadonlySet<number> | undefined
  /** As month and day, `1224`. Undefined: the whole year. */
  dates: readonly { from: number; until: number }[] | undefined
  /** Empty, for a rule that is `off`: the whole day. */
  spans: readonly Span[]
  /** `off` takes these hours away. */
  isOff: boolean
  /** Behind a comma: its hours are added to those of its days instead of replacing them. */
  isAdditional: boolean
}

export const MINUTES_A_DAY = 24 * 60
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
]
const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
/** More than any shop has. */
const RULES_MAX = 20
const ALL_DAY: Span = { from: 0, until: MINUTES_A_DAY }

/** Parts of the specification that are not read. */
const UNKNOWN_PARTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ph|sh)\b/i, 'public and school holidays are not known; write their dates, such as `Dec 24-26 off`'],
  [/^easter\b/i, 'Easter is not known; write its date'],
  [/^(?:sunrise|sunset|dawn|dusk)\b|^\((?:sunrise|sunset|dawn|dusk)/i, 'the times of the sun are not known'],
  [/^weeks?\b/i, 'weeks of the year are not read'],
  [/^(?:19|20)\d\d\b/, 'years are not read; a date is one of every year'],
  [/^\d{1,2}(?:[:.]\d\d)?\+|^\+/, 'hours without an end are not read; write when they end'],
  [/^\[/, 'a weekday of a month, such as `Mo[1]`, is not read'],
  [/^\|\|/, 'rules behind `||` are not read'],
  [/^\//, 'times that repeat are not read'],
  [/^"/, 'comments are not read'],
  [/^unknown\b/i, '`unknown` says neither open nor closed'],
]

/** Throws `OpeningHoursInvalid`, with the part that cannot be read. */
export function readRules(text: string): readonly Rule[] {
  const parts = text.replace(/[\u2010-\u2015\u2212]/g, '-').split(';')
  const rules = parts.flatMap((part) => (part.trim() === '' ? [] : rulesIn({ text: part.trim(), rest: part.trim() })))
  if (rules.length === 0 || rules.length > RULES_MAX) throw new OpeningHoursInvalid(`1 to ${RULES_MAX} rules`)
  return rules
}

interface Reading {
  readonly text: string
  rest: string
}

/** Rules that commas part: `Mo-Fr 08:00-18:00, Sa 10:00-12:00`. */
function rulesIn(reading: Reading): Rule[] {
  const rules: Rule[] = []
  do rules.push(ruleIn(reading, rules.length > 0))
  while (take(reading, /^,\s*/))
  if (reading.rest !== '') throw unreadable(reading)
  return rules
}

function ruleIn(reading: Reading, isAdditional: boolean): Rule {
  const before = reading.rest
  const isAlways = take(reading, /^24\/7\b\s*/) !== undefined
  let month: number | undefined
  const dates = isAlways
    ? undefined
    : listIn(reading, () => {
        const range = dateRangeIn(reading) ?? (month === undefined ? undefined : daysOfMonthIn(reading, month))
        month = range && Math.floor(range.until / 100) - 1
        return range
      })
  const days = isAlways ? undefined : listIn(reading, weekdayRangeIn)?.flat()
  const spans = isAlways ? [ALL_DAY] : listIn(reading, spanIn)
  const [, state = 'open'] = take(reading, /^(open|off|closed)\b\s*/i) ?? []
  if (reading.rest === before) throw unreadable(reading)
  const isOff = state.toLowerCase() !== 'open'
  return {
    days: days && new Set(days),
    dates,
    spans: spans ?? (isOff ? [] : [ALL_DAY]),
    ...{ isOff, isAdditional },
  }
}

function take(reading: Reading, pattern: RegExp): RegExpExecArray | undefined {
  const match = pattern.exec(reading.rest) ?? undefined
  if (match) reading.rest = reading.rest.slice(match[0].length)
  return match
}

/** Items with commas between them; a comma before something else is left. Undefined without an item. */
function listIn<Item>(reading: Reading, itemIn: (reading: Reading) => Item | undefined): Item[] | undefined {
  const items: Item[] = []
  for (;;) {
    const { rest } = reading
    if (items.length > 0 && !take(reading, /^,\s*/)) break
    const item = itemIn(reading)
    if (item === undefined) {
      reading.rest = rest
      break
    }
    items.push(item)
  }
  if (items.length > 0) take(reading, /^:?\s*/)
  return items.length > 0 ? items : undefined
}

const WORD = '([a-z]{2,9})\\b\\.?'
const DATE_RANGE = new RegExp(
  `^${WORD}(?: ?(\\d{1,2})(?!\\d|:\\d))?(?: ?- ?(?:${WORD}(?: ?(\\d{1,2})(?!\\d|:\\d))?|(\\d{1,2})(?!\\d|:\\d)))? ?`,
  'i',
)

/** `Dec`, `Jan 10-12`, `Dec 20-Jan 06`. */
function dateRangeIn(reading: Reading): { from: number; until: number } | undefined {
  const [whole = '', name = '', day, untilName, untilDay, sameMonthDay] = DATE_RANGE.exec(reading.rest) ?? []
  const month = MONTHS.findIndex((each) => isNameOf(each, name, 3))
  if (month < 0) return undefined
  const untilMonth = untilName === undefined ? month : MONTHS.findIndex((each) => isNameOf(each, untilName, 3))
  if (untilMonth < 0) throw unreadable(reading)
  reading.rest = reading.rest.slice(whole.length)
  const last = DAYS_OF_MONTHS[untilMonth] ?? 31
  const end = sameMonthDay ?? (untilName === undefined ? day : untilDay) ?? last
  return { from: dateOf(month, Number(day ?? 1), reading), until: dateOf(untilMonth, Number(end), reading) }
}

/** A day or days behind a comma, of the month before it: `Dec 24,26`, `Jan 1-5,20-24`. */
function daysOfMonthIn(reading: Reading, month: number): { from: number; until: number } | undefined {
  const [whole = '', day, last = day] = /^(\d{1,2})(?: ?- ?(\d{1,2}))?(?![\d:.-])(?: |$|(?=,))/.exec(reading.rest) ?? []
  if (day === undefined) return undefined
  reading.rest = reading.rest.slice(whole.length)
  return { from: dateOf(month, Number(day), reading), until: dateOf(month, Number(last), reading) }
}

function dateOf(month: number, day: number, { text }: Reading): number {
  if (day < 1 || day > (DAYS_OF_MONTHS[month] ?? 0))
    throw new OpeningHoursInvalid(`\`${text}\` is not a date of the year`)
  return (month + 1) * 100 + day
}

const WEEKDAY_RANGE = new RegExp(`^${WORD}(?: ?- ?${WORD})? ?`, 'i')

/** `Mo`, `Fr-Mo`; 1 is Monday. */
function weekdayRangeIn(reading: Reading): number[] | undefined {
  const [whole = '', name = '', untilName = name] = WEEKDAY_RANGE.exec(reading.rest) ?? []
  const [first, last] = [name, untilName].map((each) => WEEKDAYS.findIndex((weekday) => isNameOf(weekday, each, 2)))
  if (first === undefined || last === undefined || first < 0) return undefined
  if (last < 0) throw unreadable(reading)
  reading.rest = reading.rest.slice(whole.length)
  const days: number[] = []
  for (let day = first; ; day = (day + 1) % 7) {
    days.push(day + 1)
    if (day === last) return days
  }
}

/** `Mo`, `mon`, `Monday`: the begin of the name, in any case. */
const isNameOf = (name: string, text: string, lengthMin: number): boolean =>
  text.length >= lengthMin && text.length <= name.length && name.startsWith(text.toLowerCase())

const TIME = '(\\d{1,2})(?:[:.](\\d{2}))?(?!\\d) ?([ap])?(?:\\.?m\\b\\.?)?'
const SPAN = new RegExp(`^${TIME} ?(?:-|to) ?${TIME} ?(?!-|[:.]\\d)`, 'i')

/** `08:00-12:00`, `22:00-02:00`, `18:00-26:00`, `8-18`, `8am-6pm`. Equal ends: open in that minute only. */
function spanIn(reading: Reading): Span | undefined {
  const match = SPAN.exec(reading.rest)
  if (!match) return undefined
  const [whole, hour, minute, half, lastHour, lastMinute, lastHalf] = match
  const from = minutesAt(hour, minute, half)
  const end = minutesAt(lastHour, lastMinute, lastHalf)
  if (from === undefined || end === undefined || from >= MINUTES_A_DAY || end > 2 * MINUTES_A_DAY)
    throw new OpeningHoursInvalid(`\`${whole.trim()}\` is not a span of times of day`)
  reading.rest = reading.rest.slice(whole.length)
  const until = end < from ? end + MINUTES_A_DAY : end
  return { from, until: until === from ? from + 1 : until }
}

/** Undefined for minutes beyond the hour, and for hours beyond a half of the day that is named. */
function minutesAt(hour = '', minute = '0', half?: string): number | undefined {
  if (Number(minute) > 59 || (half !== undefined && (Number(hour) > 12 || Number(hour) < 1))) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return hours * 60 + Number(minute)
}

function unreadable({ text, rest }: Reading): OpeningHoursInvalid {
  const [, reason] = UNKNOWN_PARTS.find(([pattern]) => pattern.test(rest)) ?? []
  return new OpeningHoursInvalid(
    `\`${text}\`${reason === undefined ? ' is not of the form `Mo-Fr 08:00-18:00`' : `: ${reason}`}`,
  )
}
