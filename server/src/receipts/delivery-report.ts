/** The fate of each recipient in a delivery status notification (RFC 3464), as a part of a report or in its words. */
import { isSameMailbox } from '../base/mail-address.ts'
import { goneByStatus } from '../providers/bounce-mails.ts'
import { blamesSender, isAboutAddress, saysMailboxStays } from '../providers/mail-events.ts'
import { type Gone, tidy } from '../providers/outcome.ts'
import { forwardingsIn } from './notice-phrases.ts'
import { addressesIn, fieldGroups, RECIPIENTS_MAX, type ReportFields, statusOf } from './report-fields.ts'

/** The fate of one address, as a mail server reports it. */
export interface ReportedRecipient {
  action: 'failed' | 'delayed' | 'delivered'
  /** Enhanced status code of RFC 3463. */
  status?: string
  /** The words of the mail server. */
  error: string
  /** As it was sent to, and as it was forwarded. */
  addresses: readonly string[]
  /** Those of them that the mail did not reach: the others are on the way to them. */
  failing: readonly string[]
  /** Why no address is suppressed whatever the code is. */
  stays?: 'sender' | 'mailbox' | 'on_the_way' | 'unclear'
  /** All words about the recipient: other codes and addresses in them speak against the code. */
  words: string
}

/** RFC 3464 §2: the first group is about the mail, each other one about a recipient. */
export function recipientsIn(text: string): readonly ReportedRecipient[] {
  const groups = fieldGroups(text)
  // Some leave out the empty lines between the groups.
  const isJoined = groups.some((group) => valuesIn(group)('final-recipient').length > 1)
  return isJoined ? recipientsInText(text) : recipientsOf(groups)
}

/** Whether it has a recipient, also one without a result. */
export const namesRecipient = (text: string): boolean =>
  fieldGroups(text).some((group) => group.has('final-recipient') || group.has('original-recipient'))

/** Also those of whom it says nothing more, as the mail was passed on. */
export const addressesNamed = (text: string): string[] =>
  addressesIn(fieldGroups(text).flatMap((group) => ['original-recipient', 'final-recipient'].flatMap(valuesIn(group))))

const recipientsOf = (groups: readonly ReportFields[]): readonly ReportedRecipient[] =>
  groups.flatMap((group) => recipientIn(group) ?? [])

function recipientIn(group: ReportFields): ReportedRecipient | undefined {
  const addresses = addressesIn(
    ['original-recipient', 'final-recipient', 'x-actual-recipient'].flatMap(valuesIn(group)),
  )
  const diagnostic = (group.get('diagnostic-code')?.[0] ?? '').replace(/^[\w-]{1,40}\s*;\s*/, '')
  const status = statusOf(group.get('status')?.[0] ?? '', diagnostic)
  const action = actionOf(group.get('action')?.[0] ?? '', status, group.has('will-retry-until'))
  if (!action || (!group.has('final-recipient') && addresses.length === 0)) return undefined
  const error = tidy(diagnostic) || (status ? `The mail server reported ${status}` : DEFAULT_ERRORS[action])
  const stays = staysBy(diagnostic) ?? (forwardingsIn(diagnostic).length > 0 ? 'on_the_way' : undefined)
  const reported = {
    ...{ action, ...(status !== undefined && { status }), error, addresses },
    ...{ failing: failingIn(group), words: diagnostic },
  }
  return { ...reported, ...(stays && { stays }) }
}

const valuesIn =
  (group: ReportFields) =>
  (name: string): readonly string[] =>
    group.get(name) ?? []

/** RFC 3464 §2.3.2: the status is about the final recipient, and that of Sendmail is the actual one. */
function failingIn(group: ReportFields): string[] {
  const [original, final, actual] = ['original-recipient', 'final-recipient', 'x-actual-recipient'].map((name) =>
    addressesIn(valuesIn(group)(name)),
  )
  // A mailbox of the server that the mail was passed on to, or a program.
  const [place = ''] = valuesIn(group)('final-recipient')
  const isElsewhere = final?.length === 0 && place !== '' && !isMailboxOf(place, original)
  const isPassedOn = actual?.length === 0 && valuesIn(group)('x-actual-recipient').length > 0
  if (isElsewhere || isPassedOn) return []
  const named = final?.length ? final : (original ?? [])
  return [...named, ...(actual ?? []).filter((address) => !named.some((other) => isSameMailbox(address, other)))]
}

/** `rfc822; ada` for `ada@example.com`. */
const isMailboxOf = (place: string, addresses: readonly string[] = []): boolean => {
  const local = place
    .replace(/^[\w-]{1,40}\s*;\s*/, '')
    .trim()
    .toLowerCase()
  return addresses.some((address) => address.toLowerCase().startsWith(`${local}@`))
}

/** The words say that the address is not the reason, whatever code stands before them. */
export const staysBy = (words: string): ReportedRecipient['stays'] =>
  blamesSender(words) ? 'sender' : saysMailboxStays(words) ? 'mailbox' : undefined

/** Why a bounce makes the address of the mail be suppressed, or not. */
export type AddressVerdict =
  | 'gone'
  /** The address that failed is another one. */
  | 'on_the_way'
  | 'unnamed'
  | NonNullable<ReportedRecipient['stays']>
  | 'other_code'
  | 'no_code'

export function judgeAddress(
  { failing, stays, status, words }: ReportedRecipient,
  isAddressee: (address: string) => boolean,
): { verdict: AddressVerdict; gone?: Gone } {
  if (failing.length === 0) return { verdict: 'unnamed' }
  if (!failing.every(isAddressee)) return { verdict: 'on_the_way' }
  if (stays) return { verdict: stays }
  if (status === undefined) return { verdict: 'no_code' }
  const gone = goneByStatus(status)
  if (gone && !areAboutAddressee(words, status, isAddressee)) return { verdict: 'unclear' }
  return gone ? { verdict: 'gone', gone } : { verdict: 'other_code' }
}

/** They name no other address, and have no code or reason that says something else. */
function areAboutAddressee(words: string, status: string, isAddressee: (address: string) => boolean): boolean {
  return addressesIn([words]).every(isAddressee) && isAboutAddress(status, words)
}

const DEFAULT_ERRORS: Record<ReportedRecipient['action'], string> = {
  failed: 'The mail server could not deliver the mail',
  delayed: 'The mail server has not delivered the mail yet',
  delivered: '',
}

/** RFC 3464 §2.3.3, and the words that servers write in their place. Undefined: nothing is known of the mail from there on. */
const ACTIONS: Readonly<Record<string, ReportedRecipient['action'] | undefined>> = {
  ...{ failed: 'failed', delayed: 'delayed', delivered: 'delivered' },
  ...{ relayed: undefined, expanded: undefined, deliverable: undefined },
  ...{ fail: 'failed', failure: 'failed', error: 'failed', expired: 'failed', bounce: 'failed', bounced: 'failed' },
  ...{ undeliverable: 'failed', undelivered: 'failed', rejected: 'failed', returned: 'failed', denied: 'failed' },
  ...{ delay: 'delayed', deferred: 'delayed', deferral: 'delayed', retrying: 'delayed' },
  ...{ relay: undefined, expand: undefined, forwarded: undefined, transferred: undefined },
}

function actionOf(
  field: string,
  status: string | undefined,
  willRetry: boolean,
): ReportedRecipient['action'] | undefined {
  const words = field.toLowerCase().match(/[a-z]+/g) ?? []
  const [word = ''] = words
  if (Object.hasOwn(ACTIONS, word)) return ACTIONS[word]
  if (status?.startsWith('5')) return 'failed'
  // Such as `transient-failure`, and after it `permanent-failure`.
  if (willRetry || /temporary|transient/i.test(field)) return 'delayed'
  if (words.some((each) => ACTIONS[each] === 'failed')) return 'failed'
  return word === '' && status?.startsWith('4') ? 'delayed' : undefined
}

const NAMES =
  /^(?:final-recipient|original-recipient|x-actual-recipient|action|status|diagnostic-code|will-retry-until)$/

/** A report that a server wrote into its words: fields that may be indented, quoted, folded anywhere and parted by empty lines. */
export function recipientsInText(text: string): readonly ReportedRecipient[] {
  const groups: Map<string, string[]>[] = []
  let group = new Map<string, string[]>()
  let values: string[] | undefined
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ''] = /^[\s>|*]{0,20}([A-Za-z-]{4,24})\s{0,3}:(.*)$/.exec(line) ?? []
    const field = name?.toLowerCase() ?? ''
    if (name !== undefined && NAMES.test(field)) {
      if (group.has(field)) {
        if (groups.length === RECIPIENTS_MAX) break
        group = new Map()
      }
      if (group.size === 0) groups.push(group)
      group.set(field, (values = [value.trim()]))
    } else if (line.trim() === '') {
      values = undefined
      if (group.has('action') && group.has('final-recipient') && group.has('status')) group = new Map()
    } else if (name !== undefined && /^[A-Z]/.test(name)) values = undefined
    else if (values) values.push(`${values.pop()} ${line.trim()}`.trim())
  }
  const isReport = groups.some(
    (fields) => fields.has('action') && (fields.has('status') || fields.has('final-recipient')),
  )
  return isReport || groups.some((fields) => fields.has('final-recipient') && fields.has('status'))
    ? recipientsOf(groups)
    : []
}
