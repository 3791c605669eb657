/** The content of a message rendered for one channel, before a provider gives it its own shape. */
import type { Finding } from './finding.ts'

/** The markup of the destination; it decides how values are escaped. */
export type Dialect = 'html' | 'plain' | 'slack' | 'discord' | 'telegram' | 'teams' | 'whatsapp'

interface ContentBlock {
  type: string
  text: string
}

export interface ContentAction {
  content: string
  href: string
  style: 'button' | 'link'
  /** The author excludes the link from tracking. */
  untracked?: true
}

/** `text` is its block in the dialect. `inner` is the same without the mark of its kind, `plain` without any markup. */
export type ContentElement = {
  text: string
  /** It follows on the next line, not after a blank one. */
  tight: boolean
} & (
  | { type: 'text' | 'subtext' | 'list' | 'divider' }
  | { type: 'heading'; level: 1 | 2; inner: string; plain: string }
  | { type: 'quote'; inner: string }
  | { type: 'image'; url: string; plain: string; href?: string }
  | { type: 'button'; url: string; plain: string }
)

export interface Content {
  /** Email subject; empty elsewhere. */
  subject: string
  /** Title of a push, inbox or chat message; the subject again for email. */
  title: string
  /** Whole HTML document; email only. */
  html: string
  /** Everything as text in the dialect of the channel, title left out. */
  text: string
  /** The short form: what an SMS or a push shows. */
  body: string
  blocks: ContentBlock[]
  actions: ContentAction[]
  /** For services with elements of their own: chat dialects only, and absent where the author replaces the text. */
  elements?: readonly ContentElement[]
  /** The `raw` of a channel element, interpolated, when the author gave one. */
  raw?: Record<string, unknown>
  /** Places that are shown otherwise than the author may expect. */
  findings?: readonly Finding[]
  /** Variables without a value, as they are written in the template. Absent when there are none. */
  missing?: readonly string[]
}
