/** Integrations that the key of their provider does not tell apart. */
import type { Integration } from '@postrider/client'

type Named = Pick<Integration, 'provider' | 'channels' | 'title'> & { id: string }

/** The titles, by id, of those whose channel has another integration of the same provider. */
export function alikeTitles(integrations: readonly Named[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>()
  const keysOf = ({ channels, provider }: Named) => channels.map((channel) => `${channel} ${provider}`)
  for (const key of integrations.flatMap(keysOf)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return new Map(
    integrations
      .filter(
        (integration) => integration.title !== '' && keysOf(integration).some((key) => (counts.get(key) ?? 0) > 1),
      )
      .map(({ id, title }) => [id, title]),
  )
}
