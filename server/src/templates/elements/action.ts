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
  html({ fields }, compiler) {
    const url = compiler.url(stringOf(fields.href))
    const content = compiler.plainText(stringOf(fields.content))
    const link = [{ op: 'link' as const, url, body: content, join: compiler.rules.link }]
    if (compiler.inline) return [...link, '<br>']
    if (fields.style === 'link')
      return compiler.row('text', {
        content: link,
        align: [align(fields.align, 'center')],
        color: [compiler.colors.primary],
        size: ['15px'],
        weight: ['normal'],
      })
    return compiler.row('action', {
      content,
      href: [href(url, compiler.rules)],
      align: [align(fields.align, 'center')],
      background: compiler.style(fields.background_color, compiler.colors.primary),
      color: compiler.style(fields.color, '#ffffff'),
    })
  },
  text({ fields }, compiler) {
    const url = compiler.url(stringOf(fields.href))
    const content = stringOf(fields.content)
    return [
      emit('action', [{ op: 'link', url, body: compiler.plainText(content), join: compiler.rules.link }]),
      { op: 'act', content: compiler.plainText(content), url, style: fields.style === 'link' ? 'link' : 'button' },
    ]
  },
}
