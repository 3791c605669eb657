/** `divider`: a line across. */
import { type Element, emit } from './element.ts'

export const divider: Element = {
  type: 'divider',
  fields: { color: 'style' },
  mjml: {
    divider: '<mj-divider border-width="1px" border-color="[[color]]" />',
  },
  html({ fields }, compiler) {
    if (compiler.inline) return ['<hr>']
    return compiler.row('divider', { color: compiler.style(fields.color, '#d9d9d9') })
  },
  text: (_node, { rules }) => [emit('divider', [rules.text(rules.rule)])],
}
