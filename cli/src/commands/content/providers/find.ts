/** Integrations and catalog entries by the names people use for them. */
import type { CatalogEntry, Integration, Postrider } from '@postrider/client'
import { exitCodes, Failure, unknown } from '../../../failure.ts'
import { plain } from '../../../plain.ts'

export async function everyIntegration({ providers }: Postrider): Promise<Integration[]> {
  const integrations: Integration[] = []
  for await (const integration of providers.list({ limit: 100 })) integrations.push(integration)
  return integrations
}

/** By id or alias, else by title, else by provider. Throws a `Failure` for a name of none or of several. */
export async function findIntegration(client: Postrider, name: string): Promise<Integration> {
  const all = await everyIntegration(client)
  const same = (text: string) => text.toLowerCase() === name.toLowerCase()
  const matches = [
    all.filter(({ id, alias }) => id === name || alias === name),
    all.filter(({ title }) => same(title)),
    all.filter(({ provider }) => same(provider)),
  ].find((some) => some.length > 0)
  const [first] = matches ?? []
  if (!matches || !first)
    throw unknown('integration', [name], {
      hint: 'To see all integrations: postrider providers list. To add one: postrider providers add',
    })
  if (matches.length > 1)
    throw new Failure(`${matches.length} integrations have the name ${plain(name)}`, {
      hint: `Give the id of one: ${matches
        .slice(0, 5)
        .map(({ id, title }) => `${plain(id)} (${plain(title)})`)
        .join(', ')}`,
      exitCode: exitCodes.wrong,
    })
  return first
}

export async function catalogEntry({ providers }: Postrider, provider: string): Promise<CatalogEntry> {
  const { results } = await providers.catalog()
  const match = results.find((entry) => entry.provider === provider.toLowerCase())
  if (!match)
    throw new Failure(`Unknown provider \`${plain(provider)}\``, {
      hint: `There are ${results.map((entry) => plain(entry.provider)).join(', ')}: postrider providers catalog`,
      exitCode: exitCodes.wrong,
    })
  return match
}

export const integrationName = ({ title, provider, id }: Integration): string =>
  `${plain(title)} (${plain(provider)}, ${plain(id)})`
