/** The brands of a message in words: which versions were used, and which brands and snippets are named and do not exist. */
import { iso } from '../../base/time/timestamp.ts'
import { usesBrand } from '../decide/brand.ts'
import type { Routed } from '../decide/decision.ts'
import { passedOver, unresolvedBrands, unresolvedSnippets } from '../decide/unresolved-references.ts'
import type { BrandVersion } from '../facts.ts'

export function explainBrands(
  plan: Routed,
  rendered: readonly { channel: string }[],
): { summary: string[]; facts: Record<string, unknown> } {
  const { notification, facts } = plan
  const { message, own, missing } = facts.brands
  const channels = rendered.map(({ channel }) => channel)
  const unresolved = {
    summary: [...unresolvedBrands(missing), ...unresolvedSnippets(plan, channels)].map(passedOver),
    facts: missing.length > 0 ? { missing_brands: missing } : {},
  }
  if (!usesBrand(notification, channels)) return unresolved
  return {
    summary: unresolved.summary,
    facts: {
      ...(message && { brand: shown(message) }),
      ...(own.size > 0 && {
        channel_brands: Object.fromEntries([...own].map(([channel, version]) => [channel, shown(version)])),
      }),
      ...unresolved.facts,
    },
  }
}

/** The version as `GET /brands/:brand_id` shows it. */
const shown = ({ id, created }: BrandVersion) => ({ id, version: iso(created) })
