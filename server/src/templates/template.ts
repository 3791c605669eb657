/** The types of this folder: a compiled template, and the options of rendering. */
import type { Channel, OnMissingVariable } from '@postrider/contract'
import type { Budget } from '../base/budget.ts'
import type { Finding } from '../base/finding.ts'
import type { Dialect } from '../base/rendered-content.ts'
import type { Node } from './element.ts'
import type { Program } from './program.ts'
import type { Catalog, TranslationRequest } from './translations/catalog.ts'

/** Enough to correct a template. */
export const FINDINGS_MAX = 50

/** Checked content. Programs are compiled from it at first use, one for each dialect, locale and brand. */
export interface Template {
  readonly nodes: readonly Node[]
  /** Every locale some element is translated into. */
  readonly locales: ReadonlySet<string>
  /** Some of its texts may name the brand or a snippet of it. */
  readonly namesBrand: boolean
  /** Some of its texts are translated by catalogs. */
  readonly isTranslated: boolean
  /** Those texts, as far as they are written in the template; each once. */
  readonly textsToTranslate: ReadonlyMap<string, TranslationRequest>
  /** Some of its texts may name a link for recipients. */
  readonly namesLinks: boolean
  /** The names of the brand's snippets that it mentions. */
  readonly snippets: ReadonlySet<string>
  /** Elements, and parts of texts, of types that do not exist, each with its path; a finding says the same. */
  readonly unknownElements: readonly string[]
  /** Parts of the content that are not shown as written, each with its path. Rendering adds more. */
  readonly findings: Finding[]
  /** Errors that prevent publishing, each with its path. A message that renders one fails with the same reason. */
  readonly problems: readonly string[]
  readonly programs: Map<string, Program>
}

/** Settings for the look of mails, besides `colors`; a color may be anything. */
export interface BrandTheme {
  background?: string | undefined
  card?: string | undefined
  border?: string | undefined
  text?: string | undefined
  /** A list of fonts, safe inside a style. */
  font?: string | undefined
  /** In pixels. */
  radius?: number | undefined
  align?: 'left' | 'center' | 'right' | undefined
  isLightOnly?: boolean
  /** For screens that are set to dark. */
  dark?:
    | {
        primary?: string | undefined
        background?: string | undefined
        card?: string | undefined
        border?: string | undefined
        text?: string | undefined
      }
    | undefined
}

export interface Brand {
  /** Identifies this version; programs compiled with it are kept under it. Absent: nothing is kept. */
  key?: string | undefined
  colors?: { primary?: string | undefined; secondary?: string | undefined; tertiary?: string | undefined }
  /** Color of the bar at the top of a mail. */
  bar?: string | undefined
  logo?:
    | { src: string; dark?: string | undefined; width?: number | undefined; href?: string | undefined; alt: string }
    | undefined
  theme?: BrandTheme
  /** The language of mails whose own is not known. */
  locale?: string | undefined
  /** Markup for the head of a mail. */
  head?: string | undefined
  /** Markdown below the content of a mail. */
  footer?: string | undefined
  /** Links below the footer. */
  social?: readonly { name: string; url: string }[]
  snippets?: ReadonlyMap<string, string>
  /** Its footer or a snippet is translated by catalogs. */
  isTranslated?: boolean
  /** Its footer, head or a snippet may name a link for recipients. */
  namesLinks?: boolean
}

/** `data` and the other roots a variable can start from: profile, recipient, event, tenant, urls, datetime and so on. */
interface RenderContext {
  data: Record<string, unknown>
  [root: string]: unknown
}

export interface RenderOptions {
  channel: Channel
  provider?: string
  dialect: Dialect
  context: RenderContext
  /** The rest is written back into it. Absent: the whole budget of a message. */
  budget?: Budget
  locale?: string
  /** Those of the locale, the most specific first. Absent: texts are shown as they were written. */
  catalogs?: readonly Catalog[] | undefined
  brand?: Brand
  /** The treatment of variables without a value; absent: `keep`, they stay as they are written. */
  onMissing?: OnMissingVariable
}
