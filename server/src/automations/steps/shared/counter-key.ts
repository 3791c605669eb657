/** The key, of fixed length, of the runs that share a throttle or a batch. */
import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../base/json/json.ts'
import type { RunStart } from '../../run.ts'
import { FieldInvalid, StepFailed } from '../../step.ts'

export type CountingScope = 'user' | 'global' | 'dynamic'

export const digest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

/** Runs of one template have its id in common, ad hoc runs the steps themselves. */
export const ownerOf = ({ templateId, automation }: RunStart): string => templateId ?? digest([automation.steps])

/** A key that is missing, or that nothing would look at, whatever the data are. Throws `FieldInvalid`. */
export function checkCounted(fields: JsonObject, field: string): void {
  const { scope = 'global' } = fields
  const hasKey = fields[field] !== undefined
  if (scope === 'dynamic' && !hasKey) throw new FieldInvalid(field, 'is required with the scope `dynamic`')
  if ((scope === 'global' || scope === 'user') && hasKey)
    throw new FieldInvalid(field, 'has an effect only with the scope `dynamic`')
}

/** `dynamicKey` is the key of the step for the scope `dynamic`. Throws `StepFailed` when there is nothing to count by. */
export function countedBy(
  scope: CountingScope,
  { context }: RunStart,
  dynamicKey: string | undefined,
  field: string,
): JsonObject {
  if (scope === 'global') return { scope }
  const value = scope === 'user' ? context.recipient : dynamicKey
  if (value === undefined)
    throw new StepFailed(
      scope === 'user' ? 'scope `user` needs a recipient of the run' : `scope \`dynamic\` needs ${field}`,
    )
  return { scope, value }
}
