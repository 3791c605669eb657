/** `html`: the author's own markup, for mail. A value in it is escaped for its position. */
import { markup, textOfMarkup } from '../markup.ts'
import { type Element, emit, stringOf } from './element.ts'

export const html: Element = {
  type: 'html',
  fields: { content: 'text' },
  required: ['content'],
  mjml: {
    html: '<mj-text align="left" font-size="15px" line-height="1.5">[[content]]</mj-text>',
  },
  html({ fields }, compiler) {
    const content = markup(stringOf(fields.content))
    return compiler.inline ? content : compiler.row('html', { content })
  },
  text({ fields }, compiler) {
    return compiler.mail ? [emit('html', textOfMarkup(stringOf(fields.content), compiler.rules.text))] : []
  },
}
