/** The whole mail as a program: head, the brand's logo, the rows, the brand's footer, foot. */
import { href, type Node } from './elements/element.ts'
import type { Fragments } from './fragments.ts'
import type { Op, Program } from './program.ts'
import type { Brand } from './template.ts'
import { joined, weaveOf } from './weave.ts'

/** Logos are wide and low; wider, they push the words off the first screen. */
const LOGO_WIDTH = 160

export function mail(
  nodes: readonly Node[],
  title: Program,
  choice: { locale: string; brand?: Brand | undefined; fragments: Fragments },
): Program {
  const weave = weaveOf({ dialect: 'html', mail: true, ...choice })
  const { locale, brand } = choice
  const ops = [
    ...weave.row('head', { title, lang: [locale.replace('_', '-') || 'und'] }),
    ...weave.row('columns-1-open', {}),
    ...logo(),
    ...weave.children(nodes),
    ...footer(),
    ...weave.row('columns-1-close', {}),
    ...weave.row('foot', {}),
  ]
  return joined(ops)

  function logo(): Op[] {
    const picture = brand?.header?.logo
    if (!picture) return []
    const { grammar } = weave
    return weave.row(picture.href ? 'image-link' : 'image', {
      src: [href(weave.url(picture.src), grammar)],
      href: [href(weave.url(picture.href ?? ''), grammar)],
      align: ['center'],
      width: [String(LOGO_WIDTH)],
    })
  }

  function footer(): Op[] {
    const text = brand?.footer?.text
    if (!text) return []
    return weave.row('text', {
      content: weave.markdown(text),
      align: ['center'],
      color: ['#6b6b6b'],
      size: ['12px'],
      weight: ['normal'],
    })
  }
}
