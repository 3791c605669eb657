/** `quote`: words of somebody else, set off by a line at their left. */
import { align, type Element, emit, type Node, stringOf, type Weave } from './element.ts'
import { styleOf } from './text.ts'

const body = ({ fields }: Node, weave: Weave) => weave.markdown(stringOf(fields.content))

export const quote: Element = {
  type: 'quote',
  fields: { content: 'text', align: 'text', border_color: 'style', text_style: 'text' },
  required: ['content'],
  mjml: {
    quote:
      '<mj-text align="[[align]]" color="[[color]]" font-size="[[size]]" font-weight="[[weight]]" line-height="1.5"><div style="border-left:4px solid [[border]];padding-left:16px">[[content]]</div></mj-text>',
  },
  html(node, weave) {
    const { fields } = node
    if (weave.inline) return [{ op: 'shape', body: body(node, weave), shape: weave.grammar.quote }]
    const style = styleOf(fields.text_style)
    return weave.row('quote', {
      content: body(node, weave),
      align: [align(fields.align, 'left')],
      border: weave.style(fields.border_color, '#d0d0d0'),
      color: [style.color],
      size: [style.size],
      weight: [style.weight],
    })
  },
  text(node, weave) {
    const { quote: shape } = weave.grammar
    return [emit('quote', [{ op: 'shape', body: body(node, weave), shape: (text) => shape(text.trim()) }])]
  },
}
