/** The four strategies to merge new data into existing data. */
import type { MergeStrategy } from '@postrider/contract'
import { type JsonObject, merge } from '../../../base/json/json.ts'

/** Merges nested objects too. */
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
