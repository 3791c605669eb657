/** Mail fragments: MJML runs once in the life of a process, over one document that holds every kind of row. */
import { COLUMNS_MAX } from './elements/columns.ts'
import { elements } from './elements/index.ts'
import type { Op } from './program.ts'

/** Text and the names of slots in turn: the odd ones are names. */
export type Fragment = readonly string[]
export type Fragments = ReadonlyMap<string, Fragment>

const cut = (name: string) => `<mj-raw><!--cut:${name}--></mj-raw>`
const CUT = /<!--cut:([\w-]+)-->/
const SLOT = /\[\[(\w+)\]\]/

function source(): string {
  const rows = [...elements.values()].flatMap(({ mjml = {} }) =>
    Object.entries(mjml).flatMap(([name, row]) => [cut(name), row]),
  )
  const sections = Array.from({ length: COLUMNS_MAX }, (_, index) => {
    const count = index + 1
    const cells = Array.from({ length: count }, (_cell, cell) => {
      const next = cell + 1 === count ? `columns-${count}-close` : `columns-${count}-next-${cell + 1}`
      return `<mj-column>${count === 1 ? rows.join('') : ''}${cut(next)}</mj-column>`
    })
    return `${cut(`columns-${count}-open`)}<mj-section background-color="#ffffff" padding="0">${cells.join('')}</mj-section>`
  })
  const bar = `${cut('bar')}<mj-section background-color="[[bar]]" padding="0"><mj-column><mj-spacer height="6px" /></mj-column></mj-section>`
  return `<mjml lang="[[lang]]">
    <mj-head>
      <mj-title>[[title]]</mj-title>
      <mj-attributes><mj-all font-family="Helvetica, Arial, sans-serif" /></mj-attributes>
      <mj-raw>[[head]]</mj-raw>
    </mj-head>
    <mj-body background-color="#f4f4f4">${bar}${sections.join('')}${cut('foot')}</mj-body>
  </mjml>`
}

async function make(): Promise<Fragments> {
  // Loaded when first needed: it takes a quarter of a second and 50 MB, and an SMS needs none of it.
  const { default: mjml } = await import('mjml-browser')
  const { html } = await mjml(source(), { validationLevel: 'skip' })
  const [head = '', ...pieces] = html.split(CUT)
  const fragments = new Map<string, Fragment>([['head', slots(head)]])
  // The opening of the one-column section reaches to the first row.
  for (let index = 0; index < pieces.length; index += 2)
    fragments.set(pieces[index] ?? '', slots((pieces[index + 1] ?? '').replace(/\b417(?=px|")/g, '[[width]]')))
  return fragments
}

function slots(html: string): Fragment {
  return html.replace(/\s*\n\s*/g, '\n').split(SLOT)
}

let making: Promise<Fragments> | undefined
let made: Fragments | undefined

/** Makes the fragments, or gives those already made. A failure is tried again at the next call. */
export function loadFragments(): Promise<Fragments> {
  making ??= make().then(
    (fragments) => (made = fragments),
    (cause) => {
      making = undefined
      throw new Error('The mail fragments cannot be made', { cause })
    },
  )
  return making
}

export function loadedFragments(): Fragments {
  if (!made) throw new Error('A mail is rendered before its fragments are made: `prepare` comes first')
  return made
}

/** A fragment with its slots filled; a slot nobody fills is empty. */
export function fillFragment(
  fragments: Fragments,
  name: string,
  values: Readonly<Record<string, readonly Op[]>>,
): Op[] {
  const fragment = fragments.get(name)
  if (!fragment) throw new Error(`There is no mail fragment ${name}`)
  const ops: Op[] = []
  for (const [index, piece] of fragment.entries()) {
    if (index % 2 === 0) ops.push(piece)
    else ops.push(...(values[piece] ?? []))
  }
  return ops
}
