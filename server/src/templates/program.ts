/** A compiled template: text in its final form with slots between, run against one message within bounds. */
import type { OnMissingVariable } from '@postrider/contract'
import { type Budget, isSpent, messageCharactersMax, messageStepsMax } from '../base/budget.ts'
import {
  type Expression,
  ExpressionFailed,
  type ExpressionScope,
  evaluate,
  onMachine,
} from '../base/expression/expression.ts'
import { text as textOf } from '../base/expression/machine.ts'
import { quoted } from '../base/quote.ts'
import type { ContentAction, ContentElement } from '../base/rendered-content.ts'
import { type Escape, followable } from './escape.ts'
import { RenderFailed } from './failure.ts'
import type { Part } from './handlebars/blocks.ts'
import { HelperFailed } from './handlebars/calls.ts'
import { type Expanded, ExpansionTooLong, expand } from './handlebars/expand.ts'
import { isLeftOut } from './unfollowable.ts'
import { type Frame, lookUp, MissingValue, type Variable, type VariableScope } from './variables.ts'

/** The position of a value. */
export interface ProgramSlot {
  op: 'slot'
  variable: Variable
  sink: Escape
}

/** A text with blocks: its expansion differs from message to message, and is read as the author's own. */
export interface Expand {
  op: 'expand'
  parts: readonly Part[]
  read: (text: string, budget: Budget) => readonly Op[]
  /** By expanded text: most texts expand to few. */
  programs: Map<string, Program>
}

/** The template cannot be rendered: it cannot be published, and a send fails with this reason. */
export interface Fail {
  op: 'fail'
  reason: string
}

export type Parts = readonly (string | ProgramSlot | Expand | Fail)[]

/**
 * An address with the content that links to it; `url` is undefined for one that must not be followed, and `isEmpty` says
 * that nothing stands in its place.
 */
interface Link {
  op: 'link'
  url: Parts
  body: readonly Op[]
  join: (url: string | undefined, body: string, isEmpty: boolean) => string
}

/** Whether, and how often, an element is shown. */
export interface Control {
  if?: Expression
  loop?: Expression
  ref?: string
  channels?: readonly string[]
}

interface ElementOp {
  op: 'element'
  at: string
  control?: Control
  body: readonly Op[]
}

/** One block of text, left in `lines` for the enclosing `collect`. */
interface Emit {
  op: 'emit'
  type: string
  body: readonly Op[]
  /** Adds the mark of its kind. */
  shape?: (text: string) => string
  native?: Native
}

/** The element of a chat service that shows the block; without an address that can be followed, the text does. */
export type Native =
  | { type: 'subtext' | 'list' | 'divider' | 'quote' }
  | { type: 'heading'; level: 1 | 2; plain: readonly Op[] }
  | { type: 'image'; url: Parts; plain: readonly Op[]; href?: Parts }
  | { type: 'button'; url: Parts; plain: readonly Op[] }

interface Collect {
  op: 'collect'
  body: readonly Op[]
  join: (lines: readonly Line[]) => string
}

interface Shape {
  op: 'shape'
  body: readonly Op[]
  shape: (text: string) => string
}

interface Act {
  op: 'act'
  content: readonly Op[]
  url: Parts
  style: ContentAction['style']
  untracked?: true
}

/** The first texts of the content, which inboxes show after the subject. */
interface Preview {
  op: 'preview'
}

export type Op = string | ProgramSlot | Expand | Fail | Link | ElementOp | Emit | Collect | Shape | Act | Preview
export type Program = readonly Op[]

export interface Line {
  type: string
  text: string
  /** Made by the same element in the turn before: it follows on the next line, not after a blank one. */
  tight: boolean
  element?: ContentElement
}

/** The state that all documents of one rendering share. */
export interface RenderState {
  budget: Budget
  /** The innermost element that is being rendered. */
  at: string
  /** Time zones whose clocks are paid for. */
  zones: Set<string>
  /** Variables without a value, as they are written, each with the element that shows it first; most messages have none. */
  missing?: Map<string, string>
  /** Paths of loops that lead to no list, each with its element. */
  missingLists?: Map<string, string>
  /** Variables of the profile that are empty, as they are written. */
  emptyInProfile?: Set<string>
  /** Addresses that no reader can follow, each with the element that has it first. */
  leftOut?: Map<string, string>
}

export interface Run extends VariableScope {
  work: RenderState
  channel: string
  provider: string | undefined
  onMissing: OnMissingVariable
  refs: Record<string, { visible: boolean }>
  turns: number
  size: number
  lines: Line[]
  actions: ContentAction[]
  /** Escaped for HTML. */
  preview: string
  emitter: Emit | undefined
}

/** More than any reader reads; both keep one message from holding up the others. */
const TURNS_MAX = 10_000
const OUTPUT_MAX = 1_000_000

/** More variables without a value say nothing that the first ones do not. */
const MISSING_MAX = 20

/** Resolving a value and escaping it takes as long as this many steps of an expression. */
const SLOT_STEPS = 4

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

/** Takes one step for what is written. */
function count(state: Run, length: number): void {
  state.size += length
  if (state.size > OUTPUT_MAX) throw new RenderFailed(`The output is larger than ${OUTPUT_MAX} characters`)
  spend(state.work, 1, length)
}

export function spend({ budget }: RenderState, steps: number, characters: number): void {
  budget.steps -= steps
  budget.characters -= characters
  if (isSpent(budget)) throw budgetSpent()
}

const budgetSpent = (cause?: unknown) =>
  new RenderFailed(
    `Rendering takes more than its share of the ${messageStepsMax} steps and ${messageCharactersMax} characters of a message`,
    { cause },
  )

function fill({ variable, sink }: ProgramSlot, state: Run): string {
  const value = textOfVariable(variable, state)
  // Before the escape, which is work as well.
  spend(state.work, SLOT_STEPS + variable.path.length, value.length)
  const text = sink(value)
  count(state, text.length)
  return text
}

function textOfVariable(variable: Variable, state: Run): string {
  const value = lookUp(variable, state)
  if (typeof value === 'string') {
    if (value === '' && variable.path[0] === 'profile') noteEmpty(variable.source, state)
    return value
  }
  if (value === undefined || value === null || value instanceof MissingValue) {
    const { source } = value ?? variable
    return withoutValue(source, state)
  }
  return onBudget(state.work, () => textOf(state.work.budget, value))
}

/** The text in the place of a variable without a value. */
function withoutValue(source: string, state: Run, isShown = true): string {
  if (!isShown) return state.onMissing === 'empty' ? '' : source
  if (state.onMissing === 'fail')
    throw new RenderFailed(`The variable ${quoted(source)} has no value`, { code: 'variable_missing' })
  noteMissing(source, state)
  return state.onMissing === 'empty' ? '' : source
}

function noteMissing(source: string, { work }: Run): void {
  work.missing ??= new Map()
  if (work.missing.size < MISSING_MAX && !work.missing.has(source)) work.missing.set(source, work.at)
}

/** A condition, an operator or `null` says that the list may be absent; an element for other channels is shown in none of its turns. */
function noteMissingList(control: Control, items: unknown, state: Run): void {
  const source = control.loop?.source ?? ''
  if (items !== undefined || control.if || !isOnChannel(control, state) || !/^[\w$]+(?:\.[\w$]+)*$/.test(source)) return
  const { work } = state
  work.missingLists ??= new Map()
  if (work.missingLists.size < MISSING_MAX && !work.missingLists.has(source)) work.missingLists.set(source, work.at)
}

function noteEmpty(source: string, { work }: Run): void {
  work.emptyInProfile ??= new Set()
  work.emptyInProfile.add(source)
}

/** Throws `RenderFailed` where the work cannot be done, or not for what is left. */
function onBudget<Result>({ budget }: RenderState, act: () => Result): Result {
  try {
    return act()
  } catch (cause) {
    if (isSpent(budget)) throw budgetSpent(cause)
    if (cause instanceof HelperFailed || cause instanceof ExpansionTooLong || cause instanceof ExpressionFailed)
      throw new RenderFailed(cause.message, { cause })
    throw cause
  }
}

/** The whole address decides: a scheme put together from two values is still a scheme. */
function addressOf(parts: Parts, state: Run): string | undefined {
  return followable(run(parts, state))
}

/** One that the template has as it stands is a finding of the template. */
function noteAddress(url: string, parts: Parts, { work }: Run): void {
  if (!isLeftOut(url) || parts.every((part) => typeof part === 'string')) return
  work.leftOut ??= new Map()
  if (!work.leftOut.has(url)) work.leftOut.set(url, work.at)
}

function perform(op: Exclude<Op, string | ProgramSlot>, state: Run): string {
  switch (op.op) {
    case 'link': {
      const url = run(op.url, state)
      const address = followable(url)
      if (address === undefined) noteAddress(url, op.url, state)
      return counted(op.join(address, run(op.body, state), url.trim() === ''), state)
    }
    case 'element':
      return show(op, state)
    case 'expand':
      return expanded(op, state)
    case 'fail':
      throw new RenderFailed(op.reason)
    case 'shape':
      return counted(op.shape(run(op.body, state)), state)
    case 'emit': {
      const made = run(op.body, state)
      const inner = op.type === 'html' ? withoutBlankLines(made) : made.trim()
      const tight = state.emitter === op
      state.emitter = op
      if (inner === '') return ''
      const text = op.shape ? counted(op.shape(inner), state) : inner
      const element = op.native && elementOf(op.native, { text, tight, inner }, state)
      state.lines.push({ type: op.type, text, tight, ...(element && { element }) })
      return ''
    }
    case 'collect': {
      const { lines } = state
      state.lines = []
      run(op.body, state)
      const text = op.join(state.lines)
      state.lines = lines
      return counted(text, state)
    }
    case 'preview':
      return counted(state.preview, state)
    case 'act': {
      const href = addressOf(op.url, state)
      const content = run(op.content, state)
      if (href) state.actions.push({ content, href, style: op.style, ...(op.untracked && { untracked: true }) })
      return ''
    }
  }
}

/** Preformatted text may begin with an indented line. */
function withoutBlankLines(text: string): string {
  const blanks = text.length - text.trimStart().length
  return blanks === 0 ? text.trimEnd() : text.slice(text.lastIndexOf('\n', blanks - 1) + 1).trimEnd()
}

function elementOf(
  native: Native,
  { inner, ...block }: { text: string; tight: boolean; inner: string },
  state: Run,
): ContentElement | undefined {
  if (native.type === 'heading')
    return { ...block, type: 'heading', level: native.level, inner, plain: run(native.plain, state).trim() }
  if (native.type === 'quote') return { ...block, type: 'quote', inner }
  if (native.type !== 'image' && native.type !== 'button') return { ...block, type: native.type }
  const url = addressOf(native.url, state)
  if (url === undefined) return undefined
  const shown = { ...block, url, plain: run(native.plain, state).trim() }
  if (native.type === 'button') return { ...shown, type: 'button' }
  const href = native.href && addressOf(native.href, state)
  return { ...shown, type: 'image', ...(href !== undefined && { href }) }
}

/** Texts that short, and that many expansions of one, are kept as programs. */
const KEPT_CHARACTERS_MAX = 4_000
const KEPT_MAX = 16

function expanded(op: Expand, state: Run): string {
  const { text, values } = expansionOf(op, state)
  const outer = state.values
  state.values = values
  const out = run(programOf(op, text, state), state)
  state.values = outer
  return out
}

const expansionOf = ({ parts }: Expand, state: Run): Expanded =>
  onBudget(state.work, () =>
    onMachine([], state.work.budget, (machine) =>
      expand(parts, state, machine, {
        zones: state.work.zones,
        withoutValue: (source, isShown) => withoutValue(source, state, isShown),
      }),
    ),
  )

function programOf({ read, programs }: Expand, text: string, state: Run): Program {
  const cachedProgram = programs.get(text)
  if (cachedProgram) return cachedProgram
  // Markup takes about a step for each character, Markdown more where it is dense.
  spend(state.work, text.length, text.length)
  const program = read(text, state.work.budget)
  if (isSpent(state.work.budget)) throw budgetSpent()
  if (text.length > KEPT_CHARACTERS_MAX) return program
  if (programs.size >= KEPT_MAX) programs.clear()
  programs.set(text, program)
  return program
}

/** Concatenates texts that were counted: it is work, and no more output. */
function counted(text: string, state: Run): string {
  spend(state.work, 1, text.length)
  return text
}

function show(op: ElementOp, state: Run): string {
  const { work } = state
  const outer = work.at
  work.at = op.at
  spend(work, 1, 0)
  const out = op.control ? controlled(op.control, op.body, state) : run(op.body, state)
  work.at = outer
  return out
}

function controlled(control: Control, body: Program, state: Run): string {
  if (!control.loop) {
    const visible = isVisible(control, state)
    if (control.ref) state.refs[control.ref] = { visible }
    return visible ? run(body, state) : ''
  }
  const items = evaluated(control.loop, state)
  const outer = state.frame
  let out = ''
  let visible = false
  if (Array.isArray(items))
    for (const [index, item] of items.entries()) {
      state.turns += 1
      if (state.turns > TURNS_MAX) throw new RenderFailed(`The loops take more than ${TURNS_MAX} turns`)
      spend(state.work, 1, 0)
      state.frame = { item, index }
      if (!isVisible(control, state)) continue
      visible = true
      out += run(body, state)
    }
  else noteMissingList(control, items, state)
  state.frame = outer
  if (control.ref) state.refs[control.ref] = { visible }
  return out
}

const isOnChannel = ({ channels }: Control, { channel, provider }: Run) =>
  !channels || channels.includes(channel) || channels.includes(provider ?? '')

function isVisible(control: Control, state: Run): boolean {
  if (!isOnChannel(control, state)) return false
  return control.if === undefined || Boolean(evaluated(control.if, state))
}

function evaluated(expression: Expression, state: Run): unknown {
  const { budget } = state.work
  try {
    return evaluate(expression, scopeOf(state), budget)
  } catch (cause) {
    if (isSpent(budget)) throw budgetSpent(cause)
    throw new RenderFailed(`${expression.source}: ${(cause as Error).message}`, { cause })
  }
}

/** Names of the author first, then those of the data, then those of the message. */
function scopeOf({ data, roots, refs, frame }: Run): ExpressionScope {
  const { profile } = roots
  return [{ data, profile, refs, $: frame ? rootOf(frame, roots) : roots }, data, roots]
}

/** `$` inside a loop: made once for each turn. */
function rootOf(frame: Frame, roots: VariableScope['roots']): Record<string, unknown> {
  frame.root ??= { ...roots, item: frame.item, index: frame.index }
  return frame.root
}
