/** The content of a message rendered for one channel, before a provider gives it its own shape. */

/** The markup of the destination; it decides how values are escaped. */
export type Dialect = 'html' | 'plain' | 'slack' | 'discord' | 'telegram' | 'teams'

interface ContentBlock {
  type: string
  text: string
}

export interface ContentAction {
  content: string
  href: string
  style: 'button' | 'link'
}

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
  /** The `raw` of a channel element, interpolated, when the author gave one. */
  raw?: Record<string, unknown>
}
