/** The steps of a new installation, each with what shows that it is done. */
import type { Integration, Message, MessageProvider, NotificationSummary, System } from '@postrider/client'
import { statusGroups } from '../parts/status-groups.ts'

export const stepNames = ['message', 'integration', 'template', 'real', 'backup', 'publicUrl'] as const
export type StepName = (typeof stepNames)[number]

export interface Step {
  isDone: boolean
  /** The name of what shows it, its recipient, and its time in milliseconds since the Unix epoch. */
  name?: string | undefined
  recipient?: string | undefined
  at?: number | undefined
}

export type Steps = Partial<Record<StepName, Step>>

interface Records {
  messages: Pick<Message, 'event' | 'recipient' | 'address' | 'enqueued'>[]
  integrations: readonly (Pick<Integration, 'provider' | 'title' | 'enabled'> & { id: string })[]
  /** Messages with a delivery of an integration that is no mailbox. */
  realMessages: Pick<Message, 'providers'>[]
  templates: Pick<NotificationSummary, 'name' | 'creator' | 'updater'>[]
}

/** The name as which the first start writes its template. */
const FIRST_START = 'postrider'

export function stepsOf({ messages: [message], integrations, realMessages, templates }: Records): Steps {
  const real = integrations.filter(isReal)
  const enabled = real.filter(({ enabled }) => enabled)
  const template = templates.find(({ creator, updater = creator }) => updater !== FIRST_START)
  const accepted = realMessages.flatMap(({ providers = [] }) => providers).find(isAccepted)
  return {
    message: {
      isDone: message !== undefined,
      name: message?.event,
      recipient: message?.address ?? message?.recipient,
      at: message?.enqueued,
    },
    integration: { isDone: enabled.length > 0, name: enabled.map(({ title }) => title).join(', ') },
    template: { isDone: template !== undefined, name: template?.name },
    real: {
      isDone: accepted !== undefined,
      name: real.find(({ id }) => id === accepted?.integration)?.title ?? accepted?.provider,
      at: accepted?.sent ?? accepted?.delivered,
    },
  }
}

export const isReal = ({ provider }: Pick<Integration, 'provider'>) => provider !== 'mailbox'

/** A message that failed over to the mailbox has a delivery of a real integration, too, and reached no person. */
const isAccepted = ({ provider, status }: MessageProvider): boolean =>
  provider !== undefined && provider !== 'mailbox' && acceptedStatuses.has(status)

const acceptedStatuses: ReadonlySet<string> = new Set(statusGroups.arrived)

/** Steps that the machine shows; without copies by Postrider, as with a database server, that one is left out. */
export function machineSteps({ public_url, storage }: Pick<System, 'public_url' | 'storage'>): Steps {
  const last = storage?.backup?.last
  return {
    ...(storage?.backup && { backup: { isDone: last !== null, ...(typeof last === 'number' && { at: last }) } }),
    publicUrl: { isDone: public_url !== null, ...(public_url !== null && { name: public_url }) },
  }
}
