/** The integrations that a channel of a send chooses: by their provider, or one by its id or alias. */
import { nearestName } from '../../base/quote.ts'
import { providers as catalog } from '../../providers/catalog.ts'
import { isNamed, namesOf } from '../../providers/provider.ts'
import { hasName, type Integration } from '../facts.ts'

export const providerNames: ReadonlySet<string> = new Set([...catalog.values()].flatMap(namesOf))

/** Said when the send is accepted; not `smtp2`, by the look of it an alias. */
export function isMisspelledProvider(name: string): boolean {
  if (providerNames.has(name)) return false
  const near = nearestName(name, [...providerNames])
  return near !== undefined && !name.startsWith(near)
}

/** Neither an integration of the environment nor a provider. */
export const isUnknownChoice = (name: string, integrations: readonly Integration[]): boolean =>
  !providerNames.has(name) &&
  !integrations.some((integration) => isNamed(integration.provider, name) || hasName(integration, name))
