/** A page of the documents: its policy, its head and the header that all pages share. */
import { searchCharactersMax } from '@postrider/contract'
import { pathOf } from '../public-url.ts'
import { type StaticFile, staticFile } from '../static-file.ts'

/** One with its policy. */
export interface Document extends StaticFile {
  policy: string
}

const HTML = 'text/html; charset=utf-8'

const policy = (formAction: string, ...sources: string[]) =>
  ["default-src 'none'", ...sources, "base-uri 'none'", `form-action ${formAction}`, "frame-ancestors 'none'"].join(
    '; ',
  )
const TEXT_POLICY = policy("'self'", "style-src 'self'", "img-src 'self' data:")
const FILE_POLICY = policy("'none'")
/** The component writes its styles into the page. No script but our two, and nothing from elsewhere. */
export const REFERENCE_POLICY = policy(
  "'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
)

export const file = (content: string | Buffer, mediaType: string, filePolicy = FILE_POLICY): Document => ({
  ...staticFile(content, mediaType),
  policy: filePolicy,
})

/** A file that is compressed already. */
export const compressedFile = (content: Buffer, mediaType: string, gzip: Buffer): Document => ({
  ...staticFile(content, mediaType, { gzip }),
  policy: FILE_POLICY,
})

/** Every link begins with it. */
export const rootOf = (publicUrl: string) => escaped(pathOf(publicUrl))

export const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The links of the header. */
export type Area = 'reference' | 'guides'

interface Page {
  title: string
  area: Area
  head?: string
  /** With an element `main`, to which the first link leads. */
  body: string
  pagePolicy?: string
}

export function page(publicUrl: string, { title, area, head = '', body, pagePolicy = TEXT_POLICY }: Page): Document {
  const root = rootOf(publicUrl)
  const link = (to: Area, path: string, label: string) =>
    `<a href="${root}${path}"${to === area ? ' aria-current="true"' : ''}>${label}</a>`
  const content = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Postrider</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}/docs/style.css">${head}</head>
<body>${body.includes('id="main"') ? '<a class="skip" href="#main">Skip to the text</a>' : ''}
<header><a class="name" href="${root}/docs">Postrider</a><nav aria-label="Documents">${link('reference', '/docs', 'API reference')}${link('guides', '/docs/guides', 'Guides')}<a href="${root}/openapi.json">OpenAPI</a></nav><span class="address">${escaped(publicUrl)}</span></header>
${body}</body></html>`
  return file(content, HTML, pagePolicy)
}

/** `query`: the words that were searched for. */
export const searchForm = (root: string, query = '') =>
  `<form class="search" role="search" action="${root}/docs/search"><input type="search" name="q" value="${escaped(query)}" maxlength="${searchCharactersMax}" required aria-label="Search the documents" placeholder="Search the documents"><button>Search</button></form>`
