/** How a mail writes emphasis, links, lists and paragraphs. */
import type { DialectRules } from '../dialect.ts'
import { html } from '../escape.ts'
import type { Direction, Theme } from './look.ts'

const tag = (name: string) => [`<${name}>`, `</${name}>`] as const

/** Sizes of headings in Markdown: those of `text_style`, and the text's own in bold. */
const HEADINGS = ['24px;line-height:32px', '18px;line-height:26px', '16px;line-height:24px']
const monospace = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace"

const kept: Record<Direction, WeakMap<Theme, DialectRules>> = { ltr: new WeakMap(), rtl: new WeakMap() }

export function htmlRules(theme: Theme, direction: Direction): DialectRules {
  const known = kept[direction].get(theme)
  if (known) return known
  const rules = makeRules(theme, direction)
  kept[direction].set(theme, rules)
  return rules
}

function makeRules({ light }: Theme, direction: Direction): DialectRules {
  const start = direction === 'rtl' ? 'right' : 'left'
  const above = (isFirst: boolean) => (isFirst ? 'margin:0' : 'margin:16px 0 0')
  return {
    dialect: 'html',
    text: html,
    code: html,
    marks: {
      strong: tag('strong'),
      em: tag('em'),
      s: tag('s'),
      u: tag('u'),
      code: [
        `<code class="pr-code" style="font-family:${monospace};font-size:90%;color:${light.heading};background:${light.surface};border-radius:4px;padding:2px 6px">`,
        '</code>',
      ],
    },
    link: (url, body) =>
      `<a href="${html(url ?? '#')}" target="_blank" class="pr-link" style="color:${light.link}">${body}</a>`,
    line: '<br>',
    paragraph: '<br><br>',
    heading: ['<strong>', '</strong>'],
    rule: '<hr>',
    bullet: '<li>',
    ordinal: () => '<li>',
    quote: (text) =>
      `<blockquote class="pr-quote" style="margin:0;padding-${start}:16px;border-${start}:3px solid ${light.border}">${text}</blockquote>`,
    blocks: {
      paragraph: (isFirst) => `<p style="${above(isFirst)}">`,
      heading: (level, isFirst) =>
        `<h${level} class="pr-h" style="${above(isFirst)};color:${light.heading};font-size:${HEADINGS[level - 1] ?? HEADINGS[2]}">`,
      list: (name, isFirst) => `<${name} style="${above(isFirst)};padding-${start}:24px"`,
      code: [
        `<div class="pr-code" style="margin:12px 0 0;font-family:${monospace};font-size:14px;line-height:20px;color:${light.heading};background:${light.surface};border-radius:6px;padding:12px 16px;white-space:pre-wrap">`,
        '</div>',
      ],
    },
  }
}
