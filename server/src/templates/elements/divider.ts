/** `divider`: a line across. */
import { type Element, emit } from './element.ts'

export const divider: Element = {
  type: 'divider',
  fields: { color: 'style' },
  mjml: {
    divider: '<mj-divider border-width="1px" border-color="[[color]]" />',
  },
  html({ fields }, weave) {
    if (weave.inline) return ['<hr>']
    return weave.row('divider', { color: weave.style(fields.color, '#d9d9d9') })
  },
  text: (_node, { grammar }) => [emit('divider', [grammar.text(grammar.rule)])],
}
