/** A draft of an automation: its steps with keys that stay while they are moved, and what else is written with it. */
import type { Automation, AutomationTemplate, AutomationTemplateInput } from '@postrider/client'
import { isObject } from '../parts/code/json.ts'
import { type Action, newStep } from './step-fields.ts'

export type Trigger = NonNullable<AutomationTemplate['triggers']>[number]
export type Fields = Readonly<Record<string, unknown>>

export interface DraftStep {
  key: string
  /** The step as JSON: `action`, its fields, `if` and `ref`. */
  fields: Fields
}

export interface Draft {
  name: string
  alias: string | undefined
  triggers: readonly Trigger[]
  steps: readonly DraftStep[]
  /** The fields beside the steps: the cancelation token, and defaults of a run. */
  rest: Fields
}

let keys = 0
const newKey = () => `new-${Date.now().toString(36)}-${keys++}`

/** The key of a step as it is stored, by its position in the version. */
const storedKey = (position: number) => `step-${position}`
export const storedPosition = (key: string) => {
  const match = /^step-(\d+)$/.exec(key)
  return match ? Number(match[1]) : undefined
}

export function draftOf({
  name,
  alias,
  triggers = [],
  automation,
}: Pick<AutomationTemplate, 'name' | 'alias' | 'triggers' | 'automation'>): Draft {
  const { steps, ...rest } = automation as unknown as { steps?: unknown }
  const list = Array.isArray(steps) ? steps.filter(isObject) : []
  return { name, alias, triggers, steps: list.map((fields, index) => ({ key: storedKey(index), fields })), rest }
}

export const automationOf = ({ steps, rest }: Pick<Draft, 'steps' | 'rest'>): Automation =>
  // The server judges what a step is.
  ({ ...rest, steps: steps.map(({ fields }) => fields) }) as unknown as Automation

export const inputOf = (draft: Draft): AutomationTemplateInput => ({
  name: draft.name,
  alias: draft.alias ?? null,
  triggers: [...draft.triggers],
  automation: automationOf(draft),
})

/** A version as text to compare. */
export const comparable = (draft: Draft) => JSON.stringify(inputOf(draft), null, 2)

export const isSame = (a: Draft, b: Draft) => comparable(a) === comparable(b)

export function insertStep(draft: Draft, position: number, action: Action): Draft {
  const step = { key: newKey(), fields: { action, ...newStep[action] } }
  return { ...draft, steps: [...draft.steps.slice(0, position), step, ...draft.steps.slice(position)] }
}

export const removeStep = (draft: Draft, position: number): Draft => ({
  ...draft,
  steps: draft.steps.filter((_, index) => index !== position),
})

export function moveStep(draft: Draft, from: number, to: number): Draft {
  const step = draft.steps[from]
  if (!step || to < 0 || to >= draft.steps.length || from === to) return draft
  const others = draft.steps.filter((_, index) => index !== from)
  return { ...draft, steps: [...others.slice(0, to), step, ...others.slice(to)] }
}

export const replaceStep = (draft: Draft, position: number, fields: Fields): Draft => ({
  ...draft,
  steps: draft.steps.map((step, index) => (index === position ? { ...step, fields } : step)),
})

export function valueAt(fields: Fields, path: readonly string[]): unknown {
  const [name = '', ...rest] = path
  const value = fields[name]
  return rest.length === 0 ? value : isObject(value) ? valueAt(value, rest) : undefined
}

/** Undefined removes the field, and an object with its last field. */
export function withValue(fields: Fields, path: readonly string[], value: unknown): Fields {
  const [name = '', ...rest] = path
  const before = fields[name]
  const next = rest.length === 0 ? value : withValue(isObject(before) ? before : {}, rest, value)
  const isEmpty = next === undefined || (rest.length > 0 && isObject(next) && Object.keys(next).length === 0)
  if (!isEmpty) return { ...fields, [name]: next }
  const { [name]: _removed, ...others } = fields
  return others
}

/** Typed JSON as a draft; steps that stayed keep their keys, so that counts of runs stay with them. */
export function readAutomation(text: string, before: Draft): Pick<Draft, 'steps' | 'rest'> | 'syntax' | 'steps' {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'syntax'
  }
  if (!isObject(value) || !Array.isArray(value.steps) || !value.steps.every(isObject)) return 'steps'
  const { steps, ...rest } = value
  return { steps: keyed(steps as Fields[], before.steps), rest }
}

function keyed(list: readonly Fields[], before: readonly DraftStep[]): DraftStep[] {
  const left = new Map(before.map((step) => [step.key, JSON.stringify(step.fields)]))
  const take = (match: (key: string, text: string) => boolean) => {
    const step = [...left].find(([key, text]) => match(key, text))
    if (step) left.delete(step[0])
    return step?.[0]
  }
  const exact = list.map((fields) => {
    const text = JSON.stringify(fields)
    return take((_, other) => other === text)
  })
  return list.map((fields, index) => {
    const key =
      exact[index] ??
      take((candidate) => candidate === before[index]?.key && before[index]?.fields.action === fields.action)
    return { key: key ?? newKey(), fields }
  })
}

export interface Problem {
  kind: 'error' | 'warning'
  /** The position of the step; absent for what concerns the whole. */
  step?: number
  text: string
}

/** The place that an error of the server or a warning names. */
export function problemOf(kind: Problem['kind'], text: string, param?: string): Problem {
  const match = /\bautomation\.steps\.(\d+)\b/.exec(`${param ?? ''} ${text}`)
  return { kind, text, ...(match && { step: Number(match[1]) }) }
}

/** The fields by which a step differs from others of its action. */
export function detailOf(fields: Fields): string {
  const text = (...path: string[]) => {
    const value = valueAt(fields, path)
    if (value === undefined || value === null || value === '') return undefined
    if (isObject(value) && typeof value.$ref === 'string') return value.$ref
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
  const joined = (separator: string, ...parts: (string | undefined)[]) =>
    parts.filter((part) => part !== undefined).join(separator)
  switch (fields.action) {
    case 'send':
      return joined(
        ' → ',
        text('template') ?? text('message', 'template') ?? titleOf(fields.message),
        text('recipient'),
      )
    case 'send-list':
      return joined(' → ', text('template'), text('list'))
    case 'delay':
      return joined(' ', text('until') ?? text('duration'), text('until') && text('timezone'))
    case 'cancel':
      return text('cancelation_token') ?? ''
    case 'fetch-data':
      return joined(' ', text('webhook', 'method') ?? 'GET', text('webhook', 'url') ?? text('webhook'))
    case 'update-profile':
      return text('recipient_id') ?? ''
    case 'get-profile':
      return joined(' → ', text('user_id'), text('path'))
    case 'update-list':
      return joined(' ', text('operation'), text('list'))
    case 'invoke':
      return text('template') ?? ''
    case 'add-to-batch':
      return joined(' · ', joined(' – ', text('wait_period'), text('max_wait_period')), text('scope'))
    case 'add-to-digest':
      return text('subscription_topic_id') ?? ''
    case 'throttle':
      return joined(' · ', joined(' / ', text('max_allowed'), text('period')), text('scope'))
    default:
      return ''
  }
}

function titleOf(message: unknown): string | undefined {
  const content = isObject(message) ? message.content : undefined
  return isObject(content) && typeof content.title === 'string' ? content.title : undefined
}

/** The position of the later step at which a run over the limit goes on. */
export function jumpOf(steps: readonly Fields[], position: number): number | undefined {
  const ref = valueAt(steps[position] ?? {}, ['on_throttle', '$node_id'])
  if (typeof ref !== 'string') return undefined
  const target = steps.findIndex((step, index) => index > position && step.ref === ref)
  return target < 0 ? undefined : target
}
