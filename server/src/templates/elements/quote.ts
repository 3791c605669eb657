/** `quote`: quoted text, set off by a line at its left. */
import { align, type Compiler, type Element, emit, type Node, stringOf } from './element.ts'
import { styleOf } from './text.ts'

const body = ({ fields }: Node, compiler: Compiler) => compiler.markdown(stringOf(fields.content))

export const quote: Element = {
  type: 'quote',
  fields: { content: 'text', align: 'text', border_color: 'style', text_style: 'text' },
  required: ['content'],
  mjml: {
    quote:
      '<mj-text align="[[align]]" color="[[color]]" font-size="[[size]]" font-weight="[[weight]]" line-height="1.5"><div style="border-left:4px solid [[border]];padding-left:16px">[[content]]</div></mj-text>',
  },
  html(node, compiler) {
    const { fields } = node
    if (compiler.inline) return [{ op: 'shape', body: body(node, compiler), shape: compiler.rules.quote }]
    const style = styleOf(fields.text_style)
    return compiler.row('quote', {
      content: body(node, compiler),
      align: [align(fields.align, 'left')],
      border: compiler.style(fields.border_color, '#d0d0d0'),
      color: [style.color],
      size: [style.size],
      weight: [style.weight],
    })
  },
  text(node, compiler) {
    const { quote: shape } = compiler.rules
    return [emit('quote', [{ op: 'shape', body: body(node, compiler), shape: (text) => shape(text.trim()) }])]
  },
}
