/** The pages of guides: their navigation, the index, a guide with its neighbors, and the results of a search. */
import { type Guide, readGroups, readGuides } from './guides.ts'
import { type Heading, renderLine, renderMarkdown } from './markdown.ts'
import { type Document, escaped, page, rootOf, searchForm } from './page.ts'
import type { SearchHit } from './search.ts'

/** The address in the guides, of a server that was started without settings. */
const DEFAULT_URL = 'http://127.0.0.1:4600'
/** A page of fewer sections is seen at once. */
const SECTIONS_MIN = 3

export function guidePage(name: string, publicUrl: string): Document | undefined {
  const guides = readGuides()
  const position = guides.findIndex((candidate) => candidate.name === name)
  const guide = guides[position]
  if (!guide) return undefined
  const root = rootOf(publicUrl)
  const { html, headings } = renderMarkdown(
    guide.text.replaceAll(DEFAULT_URL, () => publicUrl),
    { root, pages: pageNames() },
  )
  return layout(publicUrl, {
    title: guide.title,
    guide,
    main: `${html}${neighbors(root, guides[position - 1], guides[position + 1])}`,
    aside: contents(headings),
  })
}

/** All groups with the line of each guide. */
export function indexPage(publicUrl: string): Document {
  const root = rootOf(publicUrl)
  const groups = readGroups().map(({ title, guides }) => {
    const items = guides.map(({ name, label, summary }) => {
      const line = summary && `<p>${capitalized(renderLine(summary))}</p>`
      return `<li><a href="${root}/docs/${name}">${escaped(label)}</a>${line}</li>`
    })
    return `<section><h2>${escaped(title)}</h2><ul>${items.join('')}</ul></section>`
  })
  const main = `<h1>Guides</h1>${searchForm(root)}<div class="index">${groups.join('')}</div>`
  return layout(publicUrl, { title: 'Guides', main })
}

export function resultsPage(query: string, results: readonly SearchHit[], publicUrl: string): Document {
  const root = rootOf(publicUrl)
  const items = results.map(({ path, title, place, call, excerpt }) => {
    const signature = call === undefined ? '' : ` <code>${escaped(call)}</code>`
    const link = `<a href="${root}${escaped(path)}">${escaped(title)}</a>`
    return `<li>${link}<p class="place">${escaped(place)}${signature}</p>${passage(excerpt, publicUrl)}</li>`
  })
  const list = `<ol class="results">${items.join('')}</ol>`
  const none = `<p>Nothing in the guides and the reference has these words. The <a href="${root}/docs/guides">index of the guides</a> has every subject in one line.</p>`
  return layout(publicUrl, {
    title: query === '' ? 'Search' : `${query} · Search`,
    main: `<h1>Search</h1>${searchForm(root, query)}${query === '' ? '' : results.length > 0 ? list : none}`,
  })
}

function passage(excerpt: SearchHit['excerpt'], publicUrl: string): string {
  if (excerpt.length === 0) return ''
  const parts = excerpt.map(({ text, isMatch }) => (isMatch ? `<mark>${escaped(text)}</mark>` : escaped(text)))
  return `<p>${parts.join('').replaceAll(DEFAULT_URL, () => escaped(publicUrl))}</p>`
}

/** Those that links of guides can lead to. */
export const pageNames = (): ReadonlySet<string> => new Set(readGuides().map(({ name }) => name))

interface Layout {
  title: string
  /** The one that is shown. */
  guide?: Guide
  main: string
  aside?: string
}

/** The navigation stands beside the text, and on a phone in a menu above it. */
function layout(publicUrl: string, { title, guide, main, aside = '' }: Layout): Document {
  const root = rootOf(publicUrl)
  // The index and the results have a field of their own.
  const search = guide ? searchForm(root) : ''
  const groups = navigation(root, guide)
  const body = `<div class="guide"><nav class="rail" aria-label="Guides">${search}${groups}</nav>
<details class="menu"><summary>All guides</summary><nav aria-label="Guides">${search}${groups}</nav></details>
<main id="main" class="text" tabindex="-1">${main}</main>${aside}</div>`
  return page(publicUrl, { title, area: 'guides', body })
}

/** The group of the guide is open; without a guide all are. */
function navigation(root: string, guide: Guide | undefined): string {
  return readGroups()
    .map(({ title, guides }) => {
      const links = guides.map((item) => {
        const current = item === guide ? ' aria-current="page"' : ''
        return `<li><a href="${root}/docs/${item.name}"${current}>${escaped(item.label)}</a></li>`
      })
      const open = !guide || guide.group === title ? ' open' : ''
      return `<details${open}><summary>${escaped(title)}</summary><ul>${links.join('')}</ul></details>`
    })
    .join('')
}

function contents(headings: readonly Heading[]): string {
  const sections = headings.filter(({ level }) => level === 2)
  if (sections.length < SECTIONS_MIN) return ''
  const links = sections.map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`)
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${links.join('')}</ul></nav>`
}

function neighbors(root: string, previous: Guide | undefined, next: Guide | undefined): string {
  const link = (guide: Guide | undefined, rel: 'prev' | 'next', label: string) =>
    guide ? `<a rel="${rel}" href="${root}/docs/${guide.name}"><span>${label}</span> ${escaped(guide.label)}</a>` : ''
  return `<nav class="neighbors" aria-label="Neighboring guides">${link(previous, 'prev', 'Previous')}${link(next, 'next', 'Next')}</nav>`
}

const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
