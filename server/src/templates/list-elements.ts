/** `list` and `list-item`: one line each, with a sign or a number; lists may stand in items. */
import { type Element, emit, stringOf } from './element.ts'
import { labelOn } from './mail/theme.ts'
import type { Line, Op } from './program.ts'
import { textRow } from './text-row.ts'

export const list: Element = {
  type: 'list',
  fields: { list_type: 'text', imgSrc: 'text', imgHref: 'text' },
  children: ['list-item'],
  html({ fields, children }, compiler) {
    const tag = fields.list_type === 'ordered' ? 'ol' : 'ul'
    const start = compiler.direction === 'rtl' ? 'right' : 'left'
    const content = [
      `<${tag} style="margin:0;padding-${start}:24px">`,
      ...compiler.children(children, true),
      `</${tag}>`,
    ]
    return compiler.inline ? content : textRow(compiler, content, {})
  },
  text({ fields, children }, compiler) {
    const { bullet, ordinal } = compiler.rules
    const ordered = fields.list_type === 'ordered'
    const join = (lines: readonly Line[]) =>
      lines
        .map(({ text }, index) => `${ordered ? ordinal(index + 1) : bullet}${text.replace(/\n/g, '\n  ')}`)
        .join('\n')
    const items: Op = { op: 'collect', body: compiler.children(children, true), join }
    return [emit('list', [items], compiler, { native: () => ({ type: 'list' }) })]
  },
}

const ITEM = '\n<li style="margin:0 0 6px">'

export const listItem: Element = {
  type: 'list-item',
  fields: { content: 'text', background_color: 'style' },
  children: 'any',
  parent: 'list',
  html({ fields, children }, compiler) {
    const background = stringOf(fields.background_color)
    const own = typeof fields.content === 'string' ? compiler.markdown(fields.content) : []
    const content = [...own, ...compiler.children(children, true)]
    if (background === '') return [ITEM, ...content, '</li>']
    // The text of the card may be light, on a dark screen.
    const color = labelOn(background, compiler.theme.light.text)
    const style = ['<div style="background-color:', ...compiler.style(background, ''), `;color:${color}">`]
    return [ITEM, ...style, ...content, '</div></li>']
  },
  text({ fields, children }, compiler) {
    const join = (lines: readonly Line[]) => lines.map(({ text }) => text).join('\n')
    const own = typeof fields.content === 'string' ? [emit('text', compiler.markdown(fields.content), compiler)] : []
    const lines: Op = { op: 'collect', body: [...own, ...compiler.children(children, true)], join }
    return [emit('list-item', [lines], compiler)]
  },
}
