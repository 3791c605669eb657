/** How what comes in meets what is there: the four strategies of fetched data and of profiles. */
import type { MergeStrategy } from '@postrider/contract'
import { type JsonObject, merge } from '../../../base/json/json.ts'

/** Objects within objects are merged too. */
export function combine(existing: JsonObject, incoming: JsonObject, strategy: MergeStrategy): JsonObject {
  switch (strategy) {
    case 'replace':
      return incoming
    case 'overwrite':
      return merge(existing, incoming)
    case 'soft-merge':
      return merge(incoming, existing)
    case 'none':
      return Object.keys(existing).length === 0 ? incoming : existing
  }
}
