/** Many profiles of one call: each row is checked, merged and refused as by a call of its own, in their order. */
import {
  ImportedProfile,
  idCharactersMax,
  type ProfilesImported,
  type RowError,
  warningsPerProfileMax,
} from '@postrider/contract'
import type { TimeBudget } from '../base/budget.ts'
import { invalidField, invalidRequest, rowErrorOf } from '../base/errors.ts'
import { type JsonObject, merge } from '../base/json/json.ts'
import { compileLiberalCheck } from '../base/schema/check.ts'
import { checkFieldNames, refuse } from '../base/schema/unknown-fields.ts'
import { boundedProfile } from './document.ts'
import { profileWarnings } from './profile-warnings.ts'

export interface ImportRow extends ImportedProfile {
  /** Place in the call. */
  row: number
}

const readRow = compileLiberalCheck(ImportedProfile, 'row') as (value: unknown) => ImportedProfile

/** The rows that can be written, and why the others cannot. */
export function readImportRows(bodies: readonly JsonObject[]): { rows: ImportRow[]; errors: RowError[] } {
  const rows: ImportRow[] = []
  const errors: RowError[] = []
  for (const [row, body] of bodies.entries())
    try {
      const { id, profile } = readRow(body)
      checkFieldNames(ImportedProfile, body, { at: '', what: 'a row', report: refuse })
      // No path could name it: URLs read both as steps.
      if (id === '.' || id === '..') throw invalidField('id', 'must not be `.` or `..`')
      rows.push({ row, id, profile })
    } catch (error) {
      errors.push(errorOf(row, body.id, error))
    }
  return { rows, errors }
}

/** With the id, where it is one. */
function errorOf(row: number, id: unknown, error: unknown): RowError {
  const isId = typeof id === 'string' && id.length > 0 && id.length <= idCharactersMax
  return { ...rowErrorOf(row, error), ...(isId && { id }) }
}

/** The profiles after all rows, by recipient. `existing`: those before. A strict call refuses a row instead of warning about it. */
export async function importedProfiles(
  rows: readonly ImportRow[],
  existing: ReadonlyMap<string, JsonObject>,
  { replace, strict }: { replace: boolean; strict: boolean },
  { yieldToEventLoop }: Pick<TimeBudget, 'yieldToEventLoop'>,
): Promise<ProfilesImported & { profiles: ReadonlyMap<string, JsonObject> }> {
  const profiles = new Map<string, JsonObject>()
  const errors: RowError[] = []
  const warnings: ProfilesImported['warnings'] = []
  for (const { row, id, profile } of rows) {
    // Small rows take some 20 µs each, those with a hundred misspelled names some 400 µs.
    await yieldToEventLoop()
    const before = replace ? undefined : (profiles.get(id) ?? existing.get(id))
    try {
      const after = boundedProfile(replace ? profile : merge(before ?? {}, profile))
      const sentences = profileWarnings(after, before)
      if (strict && sentences.length > 0) throw invalidRequest(sentences.join(' '), { code: 'invalid_field' })
      profiles.set(id, after)
      if (sentences.length > 0) warnings.push({ row, id, warnings: sentences.slice(0, warningsPerProfileMax) })
    } catch (error) {
      errors.push(errorOf(row, id, error))
    }
  }
  return { profiles, written: rows.length - errors.length, errors, warnings }
}
