/** `image`: a picture, whole as a link when it has one. */
import type { Op } from '../program.ts'
import { align, type Compiler, type Element, emit, href, stringOf } from './element.ts'

/** What fits between the paddings of a 600 px mail. */
const WIDTH_MAX = 550

function pixels(value: unknown): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(px|%)?$/.exec(String(value ?? '').trim()) ?? []
  if (!amount) return WIDTH_MAX
  const width = unit === '%' ? (Number(amount) / 100) * WIDTH_MAX : Number(amount)
  return Math.round(Math.min(Math.max(width, 1), WIDTH_MAX))
}

/** A link needs a text for readers who do not see the picture: where it leads, when its author gives none. */
function alternative(text: string, target: string, compiler: Compiler): readonly Op[] {
  if (text.trim() !== '' || target === '') return compiler.plainText(text)
  const join = (address: string | undefined) => compiler.rules.text(address === undefined ? '' : destination(address))
  return [{ op: 'link', url: compiler.url(target), body: [], join }]
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
  html({ fields }, compiler) {
    const source = href(compiler.url(stringOf(fields.src)), compiler.rules)
    const target = stringOf(fields.href)
    const alt = alternative(stringOf(fields.alt_text), compiler.inline ? '' : target, compiler)
    if (compiler.inline) return ['<img src="', source, '" alt="', ...alt, '" style="max-width:100%"><br>']
    return compiler.row(target ? 'image-link' : 'image', {
      src: [source],
      alt,
      href: [href(compiler.url(target), compiler.rules)],
      align: [align(fields.align, 'center')],
      width: [String(pixels(fields.width))],
    })
  },
  text({ fields }, compiler) {
    const url = compiler.url(stringOf(fields.href) || stringOf(fields.src))
    return [
      emit('image', [
        { op: 'link', url, body: compiler.plainText(stringOf(fields.alt_text)), join: compiler.rules.link },
      ]),
    ]
  },
}
