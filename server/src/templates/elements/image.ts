/** `image`: a picture, whole as a link when it has one. */
import type { Op } from '../program.ts'
import { align, type Element, emit, href, stringOf, type Weave } from './element.ts'

/** What fits between the paddings of a 600 px mail. */
const WIDTH_MAX = 550

function pixels(value: unknown): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(px|%)?$/.exec(String(value ?? '').trim()) ?? []
  if (!amount) return WIDTH_MAX
  const width = unit === '%' ? (Number(amount) / 100) * WIDTH_MAX : Number(amount)
  return Math.round(Math.min(Math.max(width, 1), WIDTH_MAX))
}

/** A link needs a text for readers who do not see the picture: where it leads, when its author gives none. */
function alternative(text: string, target: string, weave: Weave): readonly Op[] {
  if (text.trim() !== '' || target === '') return weave.words(text)
  const join = (address: string | undefined) => weave.grammar.text(address === undefined ? '' : destination(address))
  return [{ op: 'link', url: weave.url(target), body: [], join }]
}

/** `shop.example.com` of a web address, and the address itself of mail and telephone. */
function destination(address: string): string {
  const host = URL.canParse(address) ? new URL(address).hostname.replace(/^www\./, '') : ''
  return host === '' ? address.replace(/^(?:mailto|tel):/i, '').replace(/\?.*$/s, '') : host
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
    const target = stringOf(fields.href)
    const alt = alternative(stringOf(fields.alt_text), weave.inline ? '' : target, weave)
    if (weave.inline) return ['<img src="', source, '" alt="', ...alt, '" style="max-width:100%"><br>']
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
