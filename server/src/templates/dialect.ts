/** How each dialect of text writes emphasis, links and lists; `compile-program.ts` has those of mails. */
import type { Dialect } from '../base/rendered-content.ts'
import { boundMark, withBoundaries } from './emphasis.ts'
import { code, discord, type Escape, html, plain, slack, teams } from './escape.ts'

export type Mark = 'strong' | 'em' | 's' | 'u' | 'code'

/** Elements around blocks of text; `isFirst`: nothing stands above it. */
export interface Blocks {
  paragraph: (isFirst: boolean) => string
  heading: (level: number, isFirst: boolean) => string
  /** Without its closing bracket. */
  list: (tag: 'ul' | 'ol', isFirst: boolean) => string
  code: readonly [open: string, close: string]
}

export interface DialectRules {
  dialect: Dialect
  /** Escapes text, the author's and the values' alike. */
  text: Escape
  /** Escapes text inside a code span. */
  code: Escape
  marks: Readonly<Record<Mark, readonly [open: string, close: string]>>
  /** Writes the marks of a text, where these depend on what stands beside them. */
  finish?: (text: string) => string
  link: (url: string | undefined, body: string, isEmpty: boolean) => string
  /** Between lines, and between paragraphs. */
  line: string
  paragraph: string
  heading: readonly [open: string, close: string]
  rule: string
  bullet: string
  ordinal: (position: number) => string
  quote: (text: string) => string
  /** Dialects without it have lines instead. */
  blocks?: Blocks
}

const none = ['', ''] as const
const around = (mark: string) => [mark, mark] as const
const tag = (name: string) => [`<${name}>`, `</${name}>`] as const
const prefixed = (prefix: string) => (text: string) => prefix + text.replaceAll('\n', `\n${prefix}`)

const plainRules = {
  line: '\n',
  paragraph: '\n\n',
  rule: '———',
  bullet: '- ',
  ordinal: (position: number) => `${position}. `,
}

/** Slack and WhatsApp. */
const boundMarks = { strong: boundMark('*'), em: boundMark('_'), s: boundMark('~'), u: none, code: boundMark('`') }

const plainText: DialectRules = {
  ...plainRules,
  dialect: 'plain',
  text: plain,
  code: plain,
  marks: { strong: none, em: none, s: none, u: none, code: none },
  link: (url, body) => (!url || url === body ? body : body ? `${body} (${url})` : url),
  heading: none,
  rule: '---',
  quote: (text) => text,
}

const rulesByDialect: Readonly<Record<Exclude<Dialect, 'html'>, DialectRules>> = {
  plain: plainText,
  slack: {
    ...plainRules,
    dialect: 'slack',
    text: slack,
    code: (value) => slack(code(value)),
    marks: boundMarks,
    finish: withBoundaries,
    link: (url, body) => (url ? `<${slack(url)}|${body || slack(url)}>` : body),
    heading: around('*'),
    bullet: '• ',
    quote: prefixed('> '),
  },
  discord: {
    ...plainRules,
    dialect: 'discord',
    text: discord,
    code,
    marks: { strong: around('**'), em: around('_'), s: around('~~'), u: around('__'), code: around('`') },
    link: (url, body) => (url ? `[${body}](${bracketed(url)})` : body),
    heading: around('**'),
    quote: prefixed('> '),
  },
  teams: {
    ...plainRules,
    dialect: 'teams',
    text: teams,
    code,
    marks: { strong: around('**'), em: around('_'), s: around('~~'), u: none, code: around('`') },
    link: (url, body) => (url ? `[${body}](${bracketed(url)})` : body),
    heading: around('**'),
    quote: prefixed('> '),
  },
  // https://core.telegram.org/bots/api#html-style: marks of MarkdownV2 that touch are refused, tags are not.
  telegram: {
    ...plainRules,
    dialect: 'telegram',
    text: html,
    code: html,
    marks: { strong: tag('b'), em: tag('i'), s: tag('s'), u: tag('u'), code: tag('code') },
    link: (url, body) => (url ? `<a href="${html(url)}">${body || html(url)}</a>` : body),
    heading: tag('b'),
    bullet: '• ',
    // A quote inside a quote is refused.
    quote: (text) => `<blockquote>${text.replace(/<\/?blockquote>/g, '')}</blockquote>`,
  },
  // It has no escape: a value between such marks may be shown bold, and nothing worse.
  whatsapp: {
    ...plainRules,
    dialect: 'whatsapp',
    text: plain,
    code,
    marks: boundMarks,
    finish: withBoundaries,
    link: (url, body) => (!url || url === body ? body : body ? `${body}: ${url}` : url),
    heading: around('*'),
    quote: prefixed('> '),
  },
}

function bracketed(url: string): string {
  return url.replace(/\(/g, '%28').replace(/\)/g, '%29').replace(/</g, '%3C').replace(/>/g, '%3E')
}

export const rulesOf = (dialect: Exclude<Dialect, 'html'>): DialectRules => rulesByDialect[dialect]
