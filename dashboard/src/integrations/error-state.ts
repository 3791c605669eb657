/** Whether the last error of an integration still says how it is. */
import type { ProviderHealth } from '@postrider/client'

/** `over`: a later call went well. `changed`: its settings were changed since, and no call has ended. */
export type ErrorState = 'current' | 'over' | 'changed'

export function errorState(
  { last_error, last_success = 0 }: Pick<ProviderHealth, 'last_error' | 'last_success'>,
  updated = 0,
): ErrorState | undefined {
  if (!last_error) return undefined
  if (last_success > last_error.at) return 'over'
  return updated > last_error.at ? 'changed' : 'current'
}
