/** The documents that the server shows: the reference, a plain one on a single page, and the guides beside them. */
import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { decisionsReference, errorsReference, openapi, operations, reference } from '@postrider/contract'
import MarkdownIt from 'markdown-it'
import { guidesFolder, referenceScript } from '../assets.ts'
import { logEventsReference } from '../base/log-events.ts'
import { createCache } from '../base/perf/cache.ts'
import type { CallContext, HandlerReply } from './call.ts'
import { pathOf } from './public-url.ts'
import { type StaticFile, staticFile, staticReply } from './static-file.ts'

const HTML = 'text/html; charset=utf-8'
const KEPT_SECONDS = 300
/** The address in the guides, of a server that was started without settings. */
const DEFAULT_URL = 'http://127.0.0.1:4600'

const policy = (...sources: string[]) =>
  ["default-src 'none'", ...sources, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; ')
const TEXT_POLICY = policy("style-src 'self'", "img-src 'self' data:")
/** The component writes its styles into the page. No script but our two, and nothing from elsewhere. */
const REFERENCE_POLICY = policy(
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
)

/** Every link begins with it. */
const rootOf = (publicUrl: string) => escaped(pathOf(publicUrl))

/** One with its policy. */
interface Document extends StaticFile {
  policy: string
}

/** Each of some eighty is made once for each public address, of which a process has one. */
const made = createCache<string, Document>({ entriesMax: 1_000 })

/** The bytes of a document that is not made anew; undefined for one that there is not. */
function documentReply(
  kind: 'openapi' | 'reference' | 'document',
  name: string,
  { app: { publicUrl }, header }: CallContext,
  make: (publicUrl: string) => Document | undefined,
): HandlerReply | undefined {
  const key = JSON.stringify([publicUrl, kind, name])
  const earlier = made.get(key)
  const entry = earlier ?? make(publicUrl)
  if (!entry) return undefined
  if (!earlier) made.set(key, entry)
  return staticReply(entry, header, {
    'content-security-policy': entry.policy,
    'referrer-policy': 'no-referrer',
    'cache-control': `public, max-age=${KEPT_SECONDS}`,
    // Replies to other origins have headers of their own (api/server.ts).
    vary: 'origin, accept-encoding',
  })
}

export const openapiDocument = (ctx: CallContext): HandlerReply | undefined => {
  const { version } = ctx.app.service
  return documentReply('openapi', version, ctx, (url) =>
    file(JSON.stringify(openapi({ version, url, samples: true })), 'application/json'),
  )
}

export const referencePage = (ctx: CallContext): HandlerReply | undefined =>
  documentReply('reference', '', ctx, referenceDocument)

/** A file of the reference page, a guide or a picture of one by its name; undefined for what there is not. */
export const document = (name: string, ctx: CallContext): HandlerReply | undefined =>
  documentReply('document', name, ctx, (publicUrl) => documentNamed(name, publicUrl))

/** The reference with navigation, search and calls to try. */
const referenceDocument = (publicUrl: string): Document =>
  page('API reference', publicUrl, {
    policy: REFERENCE_POLICY,
    head: `<script src="${rootOf(publicUrl)}/docs/reference.js" defer></script><script src="${rootOf(publicUrl)}/docs/start.js" defer></script>`,
    body: `<div id="reference"></div>
<noscript><main class="text">This page needs JavaScript. <a href="${rootOf(publicUrl)}/docs/plain">The same on a plain page.</a></main></noscript>`,
  })

function documentNamed(name: string, publicUrl: string): Document | undefined {
  switch (name) {
    case 'reference.js':
      return scriptDocument()
    case 'start.js':
      return file(SCRIPT, 'text/javascript; charset=utf-8')
    case 'style.css':
      return file(STYLE, 'text/css; charset=utf-8')
    case 'plain':
      return page('API reference', publicUrl, {
        body: `<main class="text">${new MarkdownIt({ html: true }).render(reference(operations))}</main>`,
      })
    default:
      return name.endsWith('.png') ? picture(name) : guidePage(name, publicUrl)
  }
}

function scriptDocument(): Document | undefined {
  try {
    const gzip = readFileSync(referenceScript)
    return { ...staticFile(gunzipSync(gzip), 'text/javascript; charset=utf-8', { gzip }), policy: TEXT_POLICY }
  } catch {
    return undefined
  }
}

function picture(name: string): Document | undefined {
  const folder = new URL('pictures/', guidesFolder)
  // A name of the listing: a path to another file is none.
  if (!readdirSync(folder).includes(name)) return undefined
  return file(readFileSync(new URL(name, folder)), 'image/png')
}

interface Guide {
  name: string
  title: string
  text: string
}

let guides: readonly Guide[] | undefined

/** Those that begin with trying it out first, the others by their titles. */
function readGuides(): readonly Guide[] {
  guides ??= readdirSync(guidesFolder)
    .filter((entry) => entry.endsWith('.md'))
    .map((entry) => guideOf(entry.slice(0, -3), readFileSync(new URL(entry, guidesFolder), 'utf8')))
    .concat(
      guideOf('decisions', decisionsReference()),
      guideOf('errors', errorsReference()),
      guideOf('log-events', logEventsReference()),
    )
    .sort((left, right) => rank(left) - rank(right) || (left.title < right.title ? -1 : 1))
  return guides
}

const guideOf = (name: string, text: string): Guide => ({ name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text })

const FIRST = ['first-message', 'coming-from-courier', 'coming-from-novu', 'sending', 'templates', 'providers']
const rank = ({ name }: Guide) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length)

function guidePage(name: string, publicUrl: string): Document | undefined {
  const all = readGuides()
  const guide = name === 'guides' ? all[0] : all.find((candidate) => candidate.name === name)
  if (!guide) return undefined
  const root = rootOf(publicUrl)
  const items = all.map((item) => {
    const current = item === guide ? ' aria-current="page"' : ''
    return `<li><a href="${root}/docs/${item.name}"${current}>${escaped(item.title)}</a></li>`
  })
  const text = markdown.render(
    guide.text.replaceAll(DEFAULT_URL, () => publicUrl),
    { root },
  )
  const body = `<div class="guide"><nav aria-label="Guides"><ul>${items.join('')}</ul></nav><main class="text">${text}</main></div>`
  return page(guide.title, publicUrl, { body })
}

const markdown = new MarkdownIt()
/** Headings can be linked to, as on code hosts; links between guides and pictures stay here, other links into the repository go. */
markdown.core.ruler.push('addresses', ({ tokens, env }) => {
  const { root } = env as { root: string }
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') token.attrSet('id', slug(tokens[index + 1]?.content ?? ''))
    for (const child of token.children ?? []) {
      if (child.type === 'image')
        child.attrSet('src', String(child.attrGet('src')).replace(/^pictures\//, `${root}/docs/`))
      if (child.type !== 'link_open') continue
      const target = String(child.attrGet('href') ?? '')
      const kept = addressOf(target, root)
      if (kept === undefined) child.attrs = []
      else child.attrSet('href', kept)
    }
  })
})

const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

function addressOf(target: string, root: string): string | undefined {
  if (/^(?:https?:|#)/.test(target)) return target
  const guide = /^(?:\.\.\/|guides\/|\.\.\/reference\/(?=log-events))?([\w-]+)\.md(#.*)?$/.exec(target)
  if (guide) return `${root}/docs/${guide[1]}${guide[2] ?? ''}`
  return /^\.\.\/reference\/\w+\.md/.test(target) ? `${root}/docs` : undefined
}

interface Page {
  head?: string
  body: string
  policy?: string
}

function page(title: string, publicUrl: string, { head = '', body, policy = TEXT_POLICY }: Page): Document {
  const root = rootOf(publicUrl)
  const content = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Postrider</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}/docs/style.css">${head}</head>
<body><header><a class="name" href="${root}/docs">Postrider</a><a href="${root}/docs">API reference</a><a href="${root}/docs/guides">Guides</a><a href="${root}/openapi.json">OpenAPI</a><span>${escaped(publicUrl)}</span></header>
${body}</body></html>`
  return file(content, HTML, policy)
}

const file = (content: string | Buffer, mediaType: string, policy = TEXT_POLICY): Document => ({
  ...staticFile(content, mediaType),
  policy,
})

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Calls are tried at the address from which the page was read; nothing is loaded from or sent to other hosts. */
const SCRIPT = `const server = new URL('..', document.currentScript.src).href.slice(0, -1)
const { createApiReference } = window.Scalar
createApiReference('#reference', {
  url: server + '/openapi.json',
  servers: [{ url: server, description: 'This server' }],
  baseServerURL: server,
  authentication: { preferredSecurityScheme: 'bearer' },
  persistAuth: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  defaultOpenFirstTag: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  theme: 'none',
})
`

const STYLE = `:root {
  --text: #1c2024; --dim: #5d6670; --page: #fff; --line: #d9dde2; --code: #f1f3f5; --link: #0b57a8; --head: 3rem;
  --scalar-custom-header-height: 3rem;
  --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace;
}
@media (prefers-color-scheme: dark) {
  :root { --text: #dfe3e8; --dim: #9aa4af; --page: #14171a; --line: #30363c; --code: #22272c; --link: #7db7f5 }
}
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page) }
body > header {
  position: sticky; top: 0; z-index: 10; height: var(--head); padding: 0 1rem; display: flex; gap: 1.25rem;
  align-items: center; background: var(--page); border-bottom: 1px solid var(--line); font-size: .9rem; overflow-x: auto;
}
body > header a { color: inherit; text-decoration: none; white-space: nowrap }
body > header a:hover { text-decoration: underline }
body > header .name { font-weight: 600 }
body > header span { margin-left: auto; color: var(--dim); white-space: nowrap }
.text { width: 100%; max-width: 60rem; margin: 0 auto; padding: 1rem; min-width: 0; overflow-wrap: anywhere }
.text h1, .text h2, .text h3 { scroll-margin-top: calc(var(--head) + 1rem) }
.text h2 { margin-top: 2.5rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line) }
.text h3 { margin-top: 2rem }
.text table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0; overflow-wrap: break-word }
.text th, .text td { text-align: left; vertical-align: top; padding: .3rem .7rem; border-bottom: 1px solid var(--line) }
.text code { font: .9em ui-monospace, monospace; background: var(--code); border-radius: 3px; padding: .1em .3em }
.text pre { background: var(--code); border-radius: 6px; padding: .8rem; overflow-x: auto }
.text pre code { padding: 0; background: none }
.text a[href] { color: var(--link) }
.text img { max-width: 100% }
.guide { display: grid; grid-template-columns: 15rem minmax(0, 1fr); max-width: 78rem; margin: 0 auto }
.guide nav { position: sticky; top: var(--head); align-self: start; max-height: calc(100vh - var(--head)); overflow-y: auto; padding: 1rem }
.guide ul { list-style: none; margin: 0; padding: 0 }
.guide .text ul { list-style: disc; padding-left: 1.5rem }
.guide nav a { display: block; padding: .25rem .5rem; border-radius: 4px; color: inherit; text-decoration: none }
.guide nav a:hover, .guide nav a[aria-current] { background: var(--code) }
@media (max-width: 48rem) {
  .guide { grid-template-columns: minmax(0, 1fr) }
  .guide nav { position: static; max-height: none }
}
`
