/** A woven template: text in its final form with slots between, run against one message within bounds. */
import type { ContentAction } from '../base/content.ts'
import { type Expression, evaluate } from '../base/expression.ts'
import { type Escape, followable } from './escape.ts'
import { RenderFailed } from './failure.ts'
import { type Frame, lookUp, type Sight, type Variable } from './variables.ts'

/** Where a value lands. */
export interface Slot {
  op: 'slot'
  variable: Variable
  sink: Escape
}

export type Parts = readonly (string | Slot)[]

/** An address with what it stands around; `url` is undefined when nobody may follow it. */
export interface Link {
  op: 'link'
  url: Parts
  body: readonly Op[]
  join: (url: string | undefined, body: string) => string
}

/** Whether, and how often, an element is shown. */
export interface Control {
  if?: Expression
  loop?: Expression
  ref?: string
  channels?: readonly string[]
}

export interface Gate {
  op: 'gate'
  control: Control
  body: readonly Op[]
}

/** One block of text, left in `lines` for whoever collects them. */
export interface Emit {
  op: 'emit'
  type: string
  body: readonly Op[]
}

export interface Collect {
  op: 'collect'
  body: readonly Op[]
  join: (lines: readonly Line[]) => string
}

export interface Shape {
  op: 'shape'
  body: readonly Op[]
  shape: (text: string) => string
}

export interface Act {
  op: 'act'
  content: readonly Op[]
  url: Parts
  style: ContentAction['style']
}

export type Op = string | Slot | Link | Gate | Emit | Collect | Shape | Act
export type Program = readonly Op[]

export interface Line {
  type: string
  text: string
  /** Made by the same element in the turn before: it follows on the next line, not after a blank one. */
  tight: boolean
}

export interface Run extends Sight {
  channel: string
  provider: string | undefined
  onMissing: 'keep' | 'fail'
  refs: Record<string, { visible: boolean }>
  turns: number
  size: number
  lines: Line[]
  actions: ContentAction[]
  emitter: Emit | undefined
}

/** No reader gets to the end of either; both keep one message from holding up the others. */
const TURNS_MAX = 10_000
const OUTPUT_MAX = 1_000_000

export function run(program: Program, state: Run): string {
  let out = ''
  for (const op of program) {
    if (typeof op === 'string') {
      count(state, op.length)
      out += op
    } else if (op.op === 'slot') out += fill(op, state)
    else out += perform(op, state)
  }
  return out
}

function count(state: Run, length: number): void {
  state.size += length
  if (state.size > OUTPUT_MAX) throw new RenderFailed(`The output is larger than ${OUTPUT_MAX} characters`)
}

function fill({ variable, sink }: Slot, state: Run): string {
  const text = sink(wordsOf(variable, state))
  count(state, text.length)
  return text
}

function wordsOf(variable: Variable, state: Run): string {
  const value = lookUp(variable, state)
  if (typeof value === 'string') return value
  if (value === undefined || value === null) {
    if (state.onMissing === 'fail') throw new RenderFailed(`The variable ${variable.source} has no value`)
    return variable.source
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The whole address decides: a scheme put together from two values is still a scheme. */
export function addressOf(parts: Parts, state: Run): string | undefined {
  return followable(run(parts, state))
}

function perform(op: Exclude<Op, string | Slot>, state: Run): string {
  switch (op.op) {
    case 'link':
      return op.join(addressOf(op.url, state), run(op.body, state))
    case 'gate':
      return pass(op, state)
    case 'shape':
      return op.shape(run(op.body, state))
    case 'emit': {
      const text = run(op.body, state).trim()
      if (text) state.lines.push({ type: op.type, text, tight: state.emitter === op })
      state.emitter = op
      return ''
    }
    case 'collect': {
      const { lines } = state
      state.lines = []
      run(op.body, state)
      const text = op.join(state.lines)
      state.lines = lines
      return text
    }
    case 'act': {
      const href = addressOf(op.url, state)
      const content = run(op.content, state)
      if (href) state.actions.push({ content, href, style: op.style })
      return ''
    }
  }
}

function pass({ control, body }: Gate, state: Run): string {
  if (!control.loop) {
    const visible = seen(control, state)
    if (control.ref) state.refs[control.ref] = { visible }
    return visible ? run(body, state) : ''
  }
  const items = ask(control.loop, state)
  const outer = state.frame
  let out = ''
  let visible = false
  if (Array.isArray(items))
    for (const [index, item] of items.entries()) {
      state.turns += 1
      if (state.turns > TURNS_MAX) throw new RenderFailed(`The loops take more than ${TURNS_MAX} turns`)
      state.frame = { item, index }
      if (!seen(control, state)) continue
      visible = true
      out += run(body, state)
    }
  state.frame = outer
  if (control.ref) state.refs[control.ref] = { visible }
  return out
}

function seen(control: Control, state: Run): boolean {
  const { channels } = control
  if (channels && !channels.includes(state.channel) && !channels.includes(state.provider ?? '')) return false
  return control.if === undefined || Boolean(ask(control.if, state))
}

function ask(expression: Expression, state: Run): unknown {
  try {
    return evaluate(expression, scopeOf(state, state.frame))
  } catch (cause) {
    throw new RenderFailed(`${expression.source}: ${(cause as Error).message}`, { cause })
  }
}

function scopeOf(state: Run, frame: Frame | undefined): Record<string, unknown> {
  const { data, roots, refs } = state
  const { profile } = roots
  return { ...roots, ...data, data, profile, refs, $: frame ? { ...roots, ...frame } : roots }
}
