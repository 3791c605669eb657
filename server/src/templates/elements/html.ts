/** `html`: the author's own markup, for mail. A value in it is escaped for the place where it stands. */
import { markup, wordsOf } from '../markup.ts'
import { type Element, emit, stringOf } from './element.ts'

export const html: Element = {
  type: 'html',
  fields: { content: 'text' },
  required: ['content'],
  mjml: {
    html: '<mj-text align="left" font-size="15px" line-height="1.5">[[content]]</mj-text>',
  },
  html({ fields }, weave) {
    const content = markup(stringOf(fields.content))
    return weave.inline ? content : weave.row('html', { content })
  },
  text({ fields }, weave) {
    return weave.mail ? [emit('html', wordsOf(stringOf(fields.content), weave.grammar.text))] : []
  },
}
