/** `action`: a button or a link to follow. */
import { align, type Element, emit, href, stringOf } from './element.ts'

export const action: Element = {
  type: 'action',
  fields: {
    content: 'text',
    href: 'text',
    action_id: 'text',
    align: 'text',
    background_color: 'style',
    color: 'style',
    style: 'text',
    disable_tracking: 'flag',
  },
  required: ['content', 'href'],
  mjml: {
    action:
      '<mj-button align="[[align]]" background-color="[[background]]" color="[[color]]" href="[[href]]" font-size="15px" border-radius="4px">[[content]]</mj-button>',
  },
  html({ fields }, weave) {
    const url = weave.url(stringOf(fields.href))
    const content = weave.words(stringOf(fields.content))
    const link = [{ op: 'link' as const, url, body: content, join: weave.grammar.link }]
    if (weave.inline) return [...link, '<br>']
    if (fields.style === 'link')
      return weave.row('text', {
        content: link,
        align: [align(fields.align, 'center')],
        color: [weave.colors.primary],
        size: ['15px'],
        weight: ['normal'],
      })
    return weave.row('action', {
      content,
      href: [href(url, weave.grammar)],
      align: [align(fields.align, 'center')],
      background: weave.style(fields.background_color, weave.colors.primary),
      color: weave.style(fields.color, '#ffffff'),
    })
  },
  text({ fields }, weave) {
    const url = weave.url(stringOf(fields.href))
    const content = stringOf(fields.content)
    return [
      emit('action', [{ op: 'link', url, body: weave.words(content), join: weave.grammar.link }]),
      { op: 'act', content: weave.words(content), url, style: fields.style === 'link' ? 'link' : 'button' },
    ]
  },
}
