/** Markdown as the documents show it: headings with anchors, links that stay on the server, and its sections for the search. */
import { operationAnchor, operations, resourceOf } from '@postrider/contract'
import MarkdownIt, { type Token } from 'markdown-it'
import { escaped } from './page.ts'

export interface Heading {
  level: number
  id: string
  text: string
}

/** A heading with what stands below it, up to the next one. */
export interface Section {
  heading: Heading
  text: string
  code: string
}

export interface RenderedMarkdown {
  html: string
  headings: Heading[]
}

/** An alias: the parser takes any record. */
type Environment = {
  root: string
  /** Names of the pages that exist below `/docs`. */
  pages: ReadonlySet<string>
}

/** Raw HTML is for the anchors of the reference. No text comes from elsewhere than this package. */
const markdown = new MarkdownIt({ html: true })

export function renderMarkdown(text: string, env: Environment): RenderedMarkdown {
  const tokens = parsed(text, env)
  return { html: markdown.renderer.render(tokens, markdown.options, env), headings: headingsOf(tokens) }
}

/** Without paragraphs: the sentence of an item. */
export const renderLine = (text: string): string => markdown.renderInline(text)

export function sectionsOf(text: string): Section[] {
  const sections: Section[] = []
  const tokens = parsed(text, { root: '', pages: new Set() })
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open' && levelOf(token) <= SECTION_LEVEL_MAX)
      sections.push({ heading: headingAt(tokens, index), text: '', code: '' })
    const section = sections.at(-1)
    if (!section || tokens[index - 1]?.type === 'heading_open') return
    if (token.type === 'inline' && token.content !== '')
      section.text += `${plain(token)}${isCell(tokens[index - 1]) ? ' · ' : ' '}`
    if (token.type === 'fence' || token.type === 'code_block') section.code += `${token.content} `
  })
  return sections
}

const SECTION_LEVEL_MAX = 3

/** Marks of generators stand alone in their lines. */
const parsed = (text: string, env: Environment): Token[] =>
  markdown.parse(text.replaceAll(/^<!--[^\n]*-->\n/gm, ''), env)

const levelOf = ({ tag }: Token) => Number(tag.slice(1))
const isCell = (token: Token | undefined) => token?.type === 'td_open' || token?.type === 'th_open'

const plain = ({ children, content }: Token): string =>
  children?.map(({ type, content: part }) => (/break$/.test(type) ? ' ' : part)).join('') ?? content

const headingAt = (tokens: Token[], index: number): Heading => {
  const [token, inline] = [tokens[index], tokens[index + 1]]
  return {
    level: token ? levelOf(token) : 1,
    id: String(token?.attrGet('id') ?? ''),
    text: inline ? plain(inline) : '',
  }
}

const headingsOf = (tokens: Token[]): Heading[] =>
  tokens.flatMap((token, index) => (token.type === 'heading_open' ? [headingAt(tokens, index)] : []))

/** Headings can be linked to, as on code hosts; links between pages and pictures stay here, other links into the repository go. */
markdown.core.ruler.push('addresses', ({ tokens, env }) => {
  const { root } = env as Environment
  const ids = new Set(tokens.flatMap(({ content }) => [...content.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id)))
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') token.attrSet('id', uniqueId(slug(tokens[index + 1]?.content ?? ''), ids))
    // An empty header would be read out as one.
    if (token.type === 'th_open' && tokens[index + 1]?.content === '')
      for (const cell of [token, tokens[index + 2]]) if (cell) cell.tag = 'td'
    for (const child of token.children ?? []) {
      if (child.type === 'image')
        child.attrSet('src', String(child.attrGet('src')).replace(/^(?:pictures|\.\.\/dashboard)\//, `${root}/docs/`))
      if (child.type !== 'link_open') continue
      const address = addressOf(String(child.attrGet('href') ?? ''), env as Environment)
      if (address === undefined) child.attrs = []
      else child.attrSet('href', address)
    }
  })
})

const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/** A second heading of the same words gets a number, as on code hosts. */
function uniqueId(id: string, ids: Set<string | undefined>): string {
  let unique = id
  for (let n = 1; ids.has(unique); n += 1) unique = `${id}-${n}`
  ids.add(unique)
  return unique
}

/** Undefined for a file that no page shows. */
function addressOf(target: string, { root, pages }: Environment): string | undefined {
  if (/^(?:https?:|#)/.test(target)) return target
  const [, path = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(target) ?? []
  if (/^(?:\.\.\/)*(?:reference\/)?openapi\.json$/.test(path)) return `${root}/openapi.json`
  if (/^(?:\.\.\/)*reference\/api\.md$/.test(path)) return `${root}${referenceAddress(anchor)}`
  if (/^(?:(?:\.\.\/)?guides\/)?README\.md$/.test(path)) return `${root}/docs/guides${anchor}`
  const name = /^(?:\.\.\/|(?:\.\.\/)?(?:guides|reference)\/)?([\w-]+)\.md$/.exec(path)?.[1] ?? ''
  return pages.has(name) ? `${root}/docs/${name}${anchor}` : undefined
}

const operationByAnchor = new Map(operations.map((operation) => [`#${operationAnchor(operation.id)}`, operation]))

/** Operations in the reference; shapes are on its plain page only. */
function referenceAddress(anchor: string): string {
  const operation = operationByAnchor.get(anchor)
  if (operation) return operationAddress(operation)
  return anchor === '' ? '/docs' : `/docs/plain${anchor}`
}

/** Where the component of the reference shows an operation. */
export const operationAddress = ({ id, method, path }: { id: string; method: string; path: string }): string =>
  `/docs#tag/${resourceOf(id).toLowerCase()}/${method}${path.replaceAll(/:(\w+)/g, '{$1}')}`

/** Wide parts scroll sideways by themselves, with the keyboard, too. */
markdown.renderer.rules.table_open = () => '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>'
markdown.renderer.rules.table_close = () => '</table></div>'
markdown.renderer.rules.fence = (tokens, index) => codeBlock(tokens[index]?.content ?? '')
markdown.renderer.rules.code_block = (tokens, index) => codeBlock(tokens[index]?.content ?? '')
const codeBlock = (code: string) => `<pre tabindex="0"><code>${escaped(code)}</code></pre>\n`

/** For the mouse: the address of a section. Its sign is in the style, so that it is not copied with the heading. */
markdown.renderer.rules.heading_close = (tokens, index) => {
  const heading = headingAt(tokens, index - 2)
  const link =
    heading.level === 1 ? '' : `<a class="anchor" href="#${heading.id}" aria-hidden="true" tabindex="-1"></a>`
  return `${link}</h${heading.level}>\n`
}
