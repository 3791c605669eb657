/** Notifications and integrations as tests need them: written over the API, and in force when the call returns. */
import type { Integration, IntegrationFields, IntegrationWrite, NotificationInput, Postrider } from '@postrider/client'
import { until } from '../support/until.ts'

/** Publishes a notification under an event of its name; gives its id. */
export async function publish(
  client: Postrider,
  event: string,
  notification: Omit<Partial<NotificationInput>, 'content'> & { channels?: string[]; content?: object } = {},
): Promise<string> {
  const { channels, ...rest } = notification
  const { id } = await client.notifications.create({
    notification: {
      name: event,
      content: { title: 'Hello {name}', body: 'Good to see you, {name}.' },
      ...(channels && { routing: { method: 'single', channels } }),
      ...rest,
    } as NotificationInput,
    state: 'PUBLISHED',
  })
  await client.events.put(event, { id, type: 'notification' })
  return id
}

/** As it is on the wire, where the settings do not follow from the provider. */
export type LooseIntegration = Omit<IntegrationFields, 'provider'> & { provider: string; settings?: object }

/** Creates an integration and waits until decisions see it. */
export async function integrate(client: Postrider, write: LooseIntegration): Promise<Integration> {
  const made = await client.providers.create(write as IntegrationWrite)
  await inForce(client, made)
  return made
}

/** Waits until decisions see the integration as it is now; `present` false: until they see it no more. */
export async function inForce(client: Postrider, { id, channel, enabled }: Integration, present = true): Promise<void> {
  const message = {
    to: { user_id: 'unknown' },
    content: { title: 'Hello', body: 'Good to see you.' },
    routing: { method: 'single' as const, channels: [channel] },
  }
  await until(
    () => client.explain({ message }),
    ({ candidates }) => {
      const candidate = candidates.find(({ integration }) => integration === id)
      return present
        ? candidate !== undefined && (candidate.reason === 'MISSING_CONFIGURATION') === !enabled
        : candidate === undefined
    },
  )
}
