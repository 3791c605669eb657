/** The filter of an audience as the builder edits it, and as the API takes it. */
import type { AudienceFilter, AudienceOperator, AudienceValue } from '@postrider/client'

export type ConditionOperator = Exclude<AudienceOperator, 'AND' | 'OR'>

/** Each with what it compares: a field of the profile with values, a field with nothing, the tenants of the user. */
export const operands: Readonly<Record<ConditionOperator, 'values' | 'nothing' | 'tenants'>> = {
  EQ: 'values',
  NEQ: 'values',
  INCLUDES: 'values',
  OMIT: 'values',
  STARTS_WITH: 'values',
  ENDS_WITH: 'values',
  EXISTS: 'nothing',
  GT: 'values',
  GTE: 'values',
  LT: 'values',
  LTE: 'values',
  IS_BEFORE: 'values',
  IS_AFTER: 'values',
  MEMBER_OF: 'tenants',
}
/** In the order in which they are offered. */
export const conditionOperators = Object.keys(operands) as readonly ConditionOperator[]

export interface Condition {
  key: string
  operator: ConditionOperator
  path: string
  /** As typed: several are separated by commas. */
  value: string
}
export interface Group {
  key: string
  operator: 'AND' | 'OR'
  parts: readonly (Group | Condition)[]
}

let keys = 0
const newKey = () => `part-${(keys += 1)}`

export const newCondition = (): Condition => ({ key: newKey(), operator: 'EQ', path: '', value: '' })
export const newGroup = (operator: 'AND' | 'OR'): Group => ({ key: newKey(), operator, parts: [newCondition()] })
export const isGroup = (part: Group | Condition): part is Group => 'parts' in part

/** A filter that is a single condition becomes a group of one. */
export function groupOf(filter: AudienceFilter | null, operator: 'AND' | 'OR' = 'AND'): Group {
  if (!filter) return { key: newKey(), operator, parts: [] }
  const part = partOf(filter, operator)
  return isGroup(part) ? part : { key: newKey(), operator, parts: [part] }
}

function partOf(filter: AudienceFilter, operator: 'AND' | 'OR'): Group | Condition {
  const nested = filter.filters ?? filter.rules
  if (nested) {
    const groupOperator = filter.operator === 'OR' || filter.operator === 'AND' ? filter.operator : operator
    return { key: newKey(), operator: groupOperator, parts: nested.map((part) => partOf(part, 'AND')) }
  }
  const values = filter.value === undefined ? [] : [filter.value].flat()
  return {
    key: newKey(),
    operator: conditionOperators.find((each) => each === filter.operator) ?? 'EQ',
    path: filter.path ?? '',
    value: values.map(textOf).join(', '),
  }
}

/** A text that would be read as several, as a number or with other spaces stands in quotes. */
function textOf(value: AudienceValue): string {
  const text = String(value)
  return typeof value === 'string' && (scalarOf(text) !== value || /[,"]/.test(text)) ? JSON.stringify(text) : text
}

function scalarOf(text: string): AudienceValue {
  const trimmed = text.trim()
  if (trimmed === 'true') return true
  if (trimmed === 'false') return false
  if (trimmed !== '' && String(Number(trimmed)) === trimmed && Number.isFinite(Number(trimmed))) return Number(trimmed)
  return trimmed
}

/** `Wien, "Graz, Süd", 3`: values between commas, texts also in quotes. */
export function valuesOf(text: string): AudienceValue[] {
  const parts = text.match(/\s*"(?:[^"\\]|\\.)*"|[^,]+/g) ?? []
  return parts.flatMap((part) => {
    const trimmed = part.trim()
    if (trimmed === '') return []
    if (trimmed.startsWith('"')) {
      try {
        return [String(JSON.parse(trimmed))]
      } catch {
        return [trimmed]
      }
    }
    return [scalarOf(trimmed)]
  })
}

/** Null without any condition: it matches no user. */
export function filterOf(group: Group): AudienceFilter | null {
  const filters = group.parts.flatMap((part): AudienceFilter[] => {
    if (isGroup(part)) {
      const nested = filterOf(part)
      return nested ? [nested] : []
    }
    return [conditionOf(part)]
  })
  return filters.length === 0 ? null : { operator: group.operator, filters }
}

function conditionOf({ operator, path, value }: Condition): AudienceFilter {
  if (operands[operator] === 'nothing') return { operator, path: path.trim() }
  const values = valuesOf(value)
  const [first] = values
  return {
    operator,
    path: operands[operator] === 'tenants' ? 'tenant_id' : path.trim(),
    value: values.length > 1 || first === undefined ? values : first,
  }
}

/** Whether each condition has its path and value, so that the server can take it. */
export const isComplete = (group: Group): boolean =>
  group.parts.every((part) =>
    isGroup(part)
      ? part.parts.length > 0 && isComplete(part)
      : (operands[part.operator] === 'tenants' || part.path.trim() !== '') &&
        (operands[part.operator] === 'nothing' || valuesOf(part.value).length > 0),
  )
