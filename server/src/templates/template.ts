/** The words of this folder: what compiling makes, and what rendering is told. */
import type { Channel } from '@postrider/contract'
import type { Dialect } from '../base/content.ts'
import type { Node } from './elements/element.ts'
import type { Program } from './program.ts'

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
