/** Lists and subscriptions as the API reads and writes them. */

import { type List, type ListSubscriptionsWrite, listPreferencesBytesMax, type Preferences } from '@postrider/contract'
import { tooLarge } from '../base/errors.ts'
import { jsonBytes } from '../base/json/json.ts'
import { iso } from '../base/time/clock.ts'
import type { ListRow, Subscriber } from '../database/tables/lists/lists.ts'

export const listRecord = ({ id, name, created, updated, preferences }: ListRow): List => ({
  id,
  name,
  created: iso(created),
  updated: iso(updated),
  ...(preferences && { preferences }),
})

export const subscriptionRecord = ({ recipient, created, preferences }: Subscriber & { created: number }) => ({
  recipientId: recipient,
  created: iso(created),
  ...(preferences && { preferences }),
})

/** Throws a 413. */
export function boundedPreferences(preferences: Preferences | null | undefined): Preferences | null {
  if (!preferences) return null
  if (jsonBytes(preferences) > listPreferencesBytesMax)
    throw tooLarge(`Preferences have at most ${listPreferencesBytesMax} bytes`, 'preferences')
  return preferences
}

/** Each recipient once; the last entry wins. */
export function subscribersOf(body: ListSubscriptionsWrite): Subscriber[] {
  const entries = Array.isArray(body) ? body : 'recipients' in body ? body.recipients : [body]
  const byRecipient = new Map(
    entries.map((entry) =>
      typeof entry === 'string' ? [entry, null] : [entry.recipientId, boundedPreferences(entry.preferences)],
    ),
  )
  return [...byRecipient].map(([recipient, preferences]) => ({ recipient, preferences }))
}
