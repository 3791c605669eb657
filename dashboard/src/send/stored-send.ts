/** The form as a message was sent, as far as the API shows the send. */
import type { Explanation, HistoryEvent, MessageDetail, MessageExplanation } from '@postrider/client'
import { isAnonymous } from '../names/recipient-ids.ts'
import { fieldText } from '../parts/code/json.ts'
import { noContact, type SendForm, type SendOptions } from './form.ts'

export interface StoredSend {
  form: SendForm
  /** Parts of the send that the form does not have. */
  leftOut: readonly ('content' | 'delay' | 'overrides')[]
  /** Names of profile values that are not taken over. */
  fieldsLeftOut: readonly string[]
}

/** Fields of the form, and names that mean something else in the recipient of a send. */
const contactFields: ReadonlySet<string> = new Set(Object.keys(noContact))
const recipientFields: ReadonlySet<string> = new Set([
  ...['user_id', 'list_id', 'list_pattern', 'audience_id', 'tenant_id', 'account_id', 'include_children'],
  ...['filters', 'data', 'preferences', 'context'],
])
/** Tokens, and what the role of the reader does not see. */
const MASKED = /\*{8}|•••/

interface SendFacts {
  message: Pick<MessageDetail, 'tags'>
  history: readonly HistoryEvent[]
  explanation: Pick<MessageExplanation, 'decision' | 'steps'>
}

/** `contact`: the addresses of the send, or those that are stored for its user. */
export function storedSend({ message, history, explanation }: SendFacts, contact: 'sent' | 'stored'): StoredSend {
  const accepted = history.find((event) => event.type === 'ENQUEUED')
  const { event = '', recipient = '', profile = {}, data = {}, override = {} } = accepted ?? {}
  const email = fieldText(profile.email)
  const phone = fieldText(profile.phone_number)
  const address = isAnonymous(recipient) ? email || phone : ''
  const findings = explanation.steps.flatMap((step) => [step, ...(step.notes ?? [])])
  const tenant = findings.find(({ code }) => code === 'tenant_merged' || code === 'tenant_unknown')
  const sentContact = {
    email: address === email ? '' : email,
    phone_number: address === phone ? '' : phone,
    locale: fieldText(profile.locale),
  }
  const others = Object.entries(profile).filter(([name]) => !contactFields.has(name))
  const isTaken = ([name, value]: [string, unknown]) =>
    contact === 'sent' && !recipientFields.has(name) && !MASKED.test(JSON.stringify(value))
  const taken = others.filter(isTaken)
  return {
    form: {
      event,
      to: address || recipient,
      tenant: fieldText(tenant?.params.tenant_id),
      tags: message.tags?.join(', ') ?? '',
      options: taken.length > 0 ? { profile: Object.fromEntries(taken) } : {},
      contact: contact === 'stored' ? noContact : sentContact,
      data: { ...data },
    },
    leftOut: [
      ...(findings.some(({ code }) => code === 'content_inline') ? (['content'] as const) : []),
      ...(explanation.decision.delayed_until === undefined ? [] : (['delay'] as const)),
      ...(Object.keys(override).length > 0 ? (['overrides'] as const) : []),
    ],
    fieldsLeftOut: others.filter((field) => !isTaken(field)).map(([name]) => name),
  }
}

type Decided = Pick<Explanation, 'steps'>

/** Options that a send without them is decided otherwise without: they came with the send, or with its template then. */
export function optionsOf(sent: Decided, plain: Decided): SendOptions {
  const factsOf = ({ steps }: Decided, name: 'route' | 'preferences') => steps.find(({ step }) => step === name)?.facts
  const { method, channels, default_channels: isDefault } = factsOf(sent, 'route') ?? {}
  const other = factsOf(plain, 'route')
  const isOther = JSON.stringify([method, channels]) !== JSON.stringify([other?.method, other?.channels])
  const topic = factsOf(sent, 'preferences')?.topic_id
  return {
    ...((method === 'single' || method === 'all') &&
      Array.isArray(channels) &&
      isOther &&
      isDefault !== true && { routing: { method, channels } }),
    ...(typeof topic === 'string' && topic !== factsOf(plain, 'preferences')?.topic_id && { topic }),
  }
}
