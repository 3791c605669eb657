/** The form as a message was sent, as far as the API shows the send. */
import type { Explanation, HistoryEvent, MessageDetail, MessageExplanation } from '@postrider/client'
import { fieldText } from '../parts/code/json.ts'
import { noContact, type SendForm, type SendOptions } from './form.ts'

const ANONYMOUS = 'anon_'

export interface StoredSend {
  form: SendForm
  /** Parts of the send that the form does not have. */
  leftOut: readonly ('content' | 'delay' | 'overrides')[]
}

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
  // An address without a user had an id of that message only.
  const address = recipient.startsWith(ANONYMOUS) ? email || phone : ''
  const findings = explanation.steps.flatMap((step) => [step, ...(step.notes ?? [])])
  const tenant = findings.find(({ code }) => code === 'tenant_merged' || code === 'tenant_unknown')
  const sentContact = {
    email: address === email ? '' : email,
    phone_number: address === phone ? '' : phone,
    locale: fieldText(profile.locale),
  }
  return {
    form: {
      event,
      to: address || recipient,
      tenant: fieldText(tenant?.params.tenant_id),
      tags: message.tags?.join(', ') ?? '',
      options: {},
      contact: contact === 'stored' ? noContact : sentContact,
      data: { ...data },
    },
    leftOut: [
      ...(findings.some(({ code }) => code === 'content_inline') ? (['content'] as const) : []),
      ...(explanation.decision.delayed_until === undefined ? [] : (['delay'] as const)),
      ...(Object.keys(override).length > 0 ? (['overrides'] as const) : []),
    ],
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
