/** The words of this folder: what goes into a template, what comes out of compiling it, and the two ways it can fail. */
import type { Channel } from '@postrider/contract'
import type { Dialect } from '../base/content.ts'
import type { Expression } from '../base/expression.ts'
import type { Element, Fields } from './elements/element.ts'
import type { Program } from './program.ts'

/** The author's content breaks a rule; the message names the place: `elements[2].href`. */
export class ContentInvalid extends Error {
  override readonly name = 'ContentInvalid'
}

/** This message cannot be rendered; asking again with the same input fails again. */
export class RenderFailed extends Error {
  override readonly name = 'RenderFailed'
}

export interface Control {
  if?: Expression
  loop?: Expression
  ref?: string
  channels?: readonly string[]
}

/** What a locale puts in place of the author's own fields. */
export interface Translation {
  fields: Fields
  children?: readonly Node[]
}

export interface Node {
  element: Element
  fields: Fields
  children: readonly Node[]
  locales: ReadonlyMap<string, Translation>
  control?: Control
}

/** Checked content. Programs are woven from it at first use, one for each dialect, locale and brand. */
export interface Template {
  readonly nodes: readonly Node[]
  /** Every locale some element is translated into. */
  readonly locales: ReadonlySet<string>
  readonly programs: Map<string, Program>
}

export interface Brand {
  id: string
  version?: string
  colors?: { primary?: string; secondary?: string; tertiary?: string }
  header?: { logo?: { src: string; href?: string } }
  footer?: { text?: string }
}

/** `data` and the other roots a variable can start from: profile, recipient, event, tenant, urls, datetime and so on. */
export interface RenderContext {
  data: Record<string, unknown>
  [root: string]: unknown
}

export interface RenderOptions {
  channel: Channel
  provider?: string
  dialect: Dialect
  context: RenderContext
  locale?: string
  brand?: Brand
  /** `keep` (default): a variable without a value stays as its literal. `fail`: the message is not rendered. */
  onMissing?: 'keep' | 'fail'
}
