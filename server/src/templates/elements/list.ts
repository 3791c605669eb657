/** `list` and `list-item`: one line each, with a sign or a number; lists may stand in items. */
import type { Line } from '../program.ts'
import { type Element, emit } from './element.ts'

export const list: Element = {
  type: 'list',
  fields: { list_type: 'text', imgSrc: 'text', imgHref: 'text' },
  children: ['list-item'],
  mjml: {
    list: '<mj-text align="left" color="#292929" font-size="15px" line-height="1.5">[[content]]</mj-text>',
  },
  html({ fields, children }, compiler) {
    const tag = fields.list_type === 'ordered' ? 'ol' : 'ul'
    const content = [`<${tag} style="margin:0;padding-left:24px">`, ...compiler.children(children, true), `</${tag}>`]
    return compiler.inline ? content : compiler.row('list', { content })
  },
  text({ fields, children }, compiler) {
    const { bullet, ordinal } = compiler.rules
    const ordered = fields.list_type === 'ordered'
    const join = (lines: readonly Line[]) =>
      lines
        .map(({ text }, index) => `${ordered ? ordinal(index + 1) : bullet}${text.replace(/\n/g, '\n  ')}`)
        .join('\n')
    return [emit('list', [{ op: 'collect', body: compiler.children(children, true), join }])]
  },
}

export const listItem: Element = {
  type: 'list-item',
  fields: { content: 'text', background_color: 'style' },
  children: 'any',
  parent: 'list',
  html({ fields, children }, compiler) {
    const style = fields.background_color ? compiler.style(fields.background_color, 'transparent') : undefined
    const open = style ? ['<li style="background-color:', ...style, '">'] : ['<li>']
    const own = typeof fields.content === 'string' ? compiler.markdown(fields.content) : []
    return [...open, ...own, ...compiler.children(children, true), '</li>']
  },
  text({ fields, children }, compiler) {
    const join = (lines: readonly Line[]) => lines.map(({ text }) => text).join('\n')
    const own = typeof fields.content === 'string' ? [emit('text', compiler.markdown(fields.content))] : []
    return [emit('list-item', [{ op: 'collect', body: [...own, ...compiler.children(children, true)], join }])]
  },
}
