/** `image`: a picture, whole as a link when it has one. */
import { align, type Element, emit, href, stringOf } from './element.ts'

/** What fits between the paddings of a 600 px mail. */
const WIDTH_MAX = 550

function pixels(value: unknown): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(px|%)?$/.exec(String(value ?? '').trim()) ?? []
  if (!amount) return WIDTH_MAX
  const width = unit === '%' ? (Number(amount) / 100) * WIDTH_MAX : Number(amount)
  return Math.round(Math.min(Math.max(width, 1), WIDTH_MAX))
}

export const image: Element = {
  type: 'image',
  fields: { src: 'text', href: 'text', align: 'text', alt_text: 'text', width: 'size' },
  required: ['src'],
  // MJML computes with the width, so that it is a number here: 417 stands for it and appears nowhere else.
  mjml: {
    image: '<mj-image align="[[align]]" width="417px" src="[[src]]" alt="[[alt]]" />',
    'image-link': '<mj-image align="[[align]]" width="417px" src="[[src]]" href="[[href]]" alt="[[alt]]" />',
  },
  html({ fields }, weave) {
    const source = href(weave.url(stringOf(fields.src)), weave.grammar)
    const alt = weave.words(stringOf(fields.alt_text))
    if (weave.inline) return ['<img src="', source, '" alt="', ...alt, '" style="max-width:100%"><br>']
    const target = stringOf(fields.href)
    return weave.row(target ? 'image-link' : 'image', {
      src: [source],
      alt,
      href: [href(weave.url(target), weave.grammar)],
      align: [align(fields.align, 'center')],
      width: [String(pixels(fields.width))],
    })
  },
  text({ fields }, weave) {
    const url = weave.url(stringOf(fields.href) || stringOf(fields.src))
    return [
      emit('image', [{ op: 'link', url, body: weave.words(stringOf(fields.alt_text)), join: weave.grammar.link }]),
    ]
  },
}
