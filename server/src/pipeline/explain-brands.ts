/** The brands of a message in words: which versions were used, and which were asked for and are not there. */
import { iso } from '../base/moment.ts'
import { usesBrand } from './decide/brand.ts'
import type { Routed } from './decide/deciding.ts'
import type { BrandVersion } from './facts.ts'

export function explainBrands(
  { notification, facts }: Routed,
  rendered: readonly { channel: string }[],
): { summary: string[]; facts: Record<string, unknown> } {
  const channels = rendered.map(({ channel }) => channel)
  if (!usesBrand(notification, channels)) return { summary: [], facts: {} }
  const { message, own, missing } = facts.brands
  return {
    summary: missing.map((id) => `There is no brand ${id}; the default is used.`),
    facts: {
      ...(message && { brand: shown(message) }),
      ...(own.size > 0 && {
        channel_brands: Object.fromEntries([...own].map(([channel, version]) => [channel, shown(version)])),
      }),
      ...(missing.length > 0 && { missing_brands: missing }),
    },
  }
}

/** The version as `GET /brands/:brand_id` shows it. */
const shown = ({ id, created }: BrandVersion) => ({ id, version: iso(created) })
