/** A draft as lines that people read: its blocks with the labels of their form, then its properties. */
import { fieldText, isObject } from '../../parts/code/json.ts'
import type { Block, ElementType, Fields } from '../blocks/blocks.ts'
import { fieldsOfType } from '../blocks/fields.ts'
import type { Draft } from '../draft/draft-store.ts'

/** The labels of types (`type_text`) and fields (`field_content`); a name without one stands as it is written. */
export type OutlineLabels = Readonly<Record<string, string>>

const INDENT = '  '
/** The field that stands beside the name of its block. */
const MAIN_FIELDS = ['content', 'title', 'channel', 'comment']

export function outlineOf(draft: Draft, labels: OutlineLabels): string {
  const { blocks, version: _version, ...properties } = draft
  const lines = blocks.flatMap((block) => linesOf(block, labels, ''))
  for (const [name, value] of Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1)))
    if (!isEmpty(value)) lines.push(`${labels[name] ?? name}: ${fieldText(value)}`)
  return lines.join('\n')
}

function linesOf({ fields, children }: Block, labels: OutlineLabels, indent: string): string[] {
  const { type, ...others } = fields
  const name = labels[`type_${type}`] ?? type
  const main = MAIN_FIELDS.find((field) => typeof others[field] === 'string')
  const words = main === undefined ? [] : String(others[main]).split('\n')
  const first = words.length === 1 && words[0] !== '' ? `${indent}${name}: ${words[0]}` : `${indent}${name}`
  const rest = words.length > 1 ? words.map((line) => `${indent}${INDENT}${line}`) : []
  const inner = orderedNames(type, others)
    .filter((field) => field !== main && !isEmpty(others[field]))
    .map(
      (field) => `${indent}${INDENT}${labels[`field_${field}`] ?? labels[field] ?? field}: ${fieldText(others[field])}`,
    )
  return [
    ...[first, ...rest, ...inner],
    ...(children ?? []).flatMap((child) => linesOf(child, labels, indent + INDENT)),
  ]
}

/** As in the form, whatever the order in which they were stored. */
function orderedNames(type: string, fields: Omit<Fields, 'type'>): string[] {
  const ofForm = Object.keys(fieldsOfType[type as ElementType] ?? {})
  const others = Object.keys(fields).filter((field) => !ofForm.includes(field))
  return [...ofForm.filter((field) => field in fields), ...others.sort()]
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)
