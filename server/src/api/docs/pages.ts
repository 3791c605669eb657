/** The documents that the server shows: the reference, a plain one on a single page, and the guides beside them. */
import { readdirSync, readFileSync } from 'node:fs'
import { operations, reference } from '@postrider/contract'
import MarkdownIt from 'markdown-it'
import { guidesFolder, referenceScript } from '../../assets.ts'
import type { Reply } from '../call.ts'
import { SCRIPT, STYLE } from './page-assets.ts'

const HTML = 'text/html; charset=utf-8'
const KEPT_SECONDS = 300
/** What guides say of a server that was started without settings. */
const DEFAULT_URL = 'http://127.0.0.1:4600'

const policy = (...sources: string[]) =>
  ["default-src 'none'", ...sources, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; ')
const TEXT_POLICY = policy("style-src 'self'", 'img-src data:')
/** The component writes its styles into the page. No script but our two, and nothing from elsewhere. */
const REFERENCE_POLICY = policy(
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
)

/** The reference with navigation, search and calls to try. */
export const referencePage = (publicUrl: string): Reply =>
  page('API reference', publicUrl, {
    policy: REFERENCE_POLICY,
    head: '<script src="/docs/reference.js" defer></script><script src="/docs/start.js" defer></script>',
    body: `<div id="reference"></div>
<noscript><main class="text">This page needs JavaScript. <a href="/docs/plain">The same on a plain page.</a></main></noscript>`,
  })

/** A file of the reference page or a guide by its name; undefined for what there is not. */
export function document(name: string, publicUrl: string): Reply | undefined {
  switch (name) {
    case 'reference.js':
      return scriptReply()
    case 'start.js':
      return file(SCRIPT, 'text/javascript; charset=utf-8')
    case 'style.css':
      return file(STYLE, 'text/css; charset=utf-8')
    case 'plain':
      plain ??= new MarkdownIt({ html: true }).render(reference(operations))
      return page('API reference', publicUrl, { body: `<main class="text">${plain}</main>` })
    default:
      return guidePage(name, publicUrl)
  }
}

let plain: string | undefined
let script: Buffer | undefined

function scriptReply(): Reply | undefined {
  try {
    script ??= readFileSync(referenceScript)
  } catch {
    return undefined
  }
  const reply = file(script, 'text/javascript; charset=utf-8')
  return { ...reply, headers: { ...reply.headers, 'content-encoding': 'gzip' } }
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
    .map((entry) => {
      const text = readFileSync(new URL(entry, guidesFolder), 'utf8')
      return { name: entry.slice(0, -3), title: /^# (.+)$/m.exec(text)?.[1] ?? entry, text }
    })
    .sort((one, other) => rank(one) - rank(other) || (one.title < other.title ? -1 : 1))
  return guides
}

const FIRST = ['first-message', 'sending', 'templates', 'providers']
const rank = ({ name }: Guide) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length)

function guidePage(name: string, publicUrl: string): Reply | undefined {
  const all = readGuides()
  const guide = name === 'guides' ? all[0] : all.find((one) => one.name === name)
  if (!guide) return undefined
  const items = all.map((one) => {
    const current = one === guide ? ' aria-current="page"' : ''
    return `<li><a href="/docs/${one.name}"${current}>${escaped(one.title)}</a></li>`
  })
  const text = markdown.render(guide.text.replaceAll(DEFAULT_URL, () => publicUrl))
  const body = `<div class="guide"><nav aria-label="Guides"><ul>${items.join('')}</ul></nav><main class="text">${text}</main></div>`
  return page(guide.title, publicUrl, { body })
}

const markdown = new MarkdownIt()
/** Headings can be linked to, as on code hosts; links between guides stay here, those to other files of the repository go. */
markdown.core.ruler.push('addresses', ({ tokens }) => {
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') token.attrSet('id', slug(tokens[index + 1]?.content ?? ''))
    for (const child of token.children ?? []) {
      if (child.type !== 'link_open') continue
      const target = String(child.attrGet('href') ?? '')
      const kept = addressOf(target)
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

function addressOf(target: string): string | undefined {
  if (/^(?:https?:|#)/.test(target)) return target
  const guide = /^([\w-]+)\.md(#.*)?$/.exec(target)
  if (guide) return `/docs/${guide[1]}${guide[2] ?? ''}`
  return /^\.\.\/reference\/\w+\.md/.test(target) ? '/docs' : undefined
}

interface Page {
  head?: string
  body: string
  policy?: string
}

function page(title: string, publicUrl: string, { head = '', body, policy = TEXT_POLICY }: Page): Reply {
  const content = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Postrider</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">${head}</head>
<body><header><a class="name" href="/docs">Postrider</a><a href="/docs">API reference</a><a href="/docs/guides">Guides</a><a href="/openapi.json">OpenAPI</a><span>${escaped(publicUrl)}</span></header>
${body}</body></html>`
  return file(content, HTML, policy)
}

function file(content: string | Uint8Array, mediaType: string, policy = TEXT_POLICY): Reply {
  return {
    status: 200,
    raw: { content, mediaType },
    headers: {
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': `public, max-age=${KEPT_SECONDS}`,
      // Replies to other origins have headers of their own (api/server.ts).
      vary: 'origin',
    },
  }
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
