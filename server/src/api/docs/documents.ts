/** The documents that the server shows: the reference, a plain one on a single page, the guides beside them, and a search over all. */
import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { openapi, operations, reference } from '@postrider/contract'
import { dashboardPicturesFolder, guidesFolder, referenceScript } from '../../assets.ts'
import { createCache } from '../../base/perf/cache.ts'
import type { CallContext, HandlerReply } from '../call.ts'
import { staticReply } from '../static-file.ts'
import { guidePage, indexPage, pageNames, resultsPage } from './guide-pages.ts'
import { renderMarkdown } from './markdown.ts'
import { compressedFile, type Document, file, page, REFERENCE_POLICY, rootOf } from './page.ts'
import { search } from './search.ts'
import { STYLE } from './style.ts'

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const KEPT_SECONDS = 300

/** Each of some eighty is made once for each public address, of which a process has one. */
const made = createCache<string, Document>({ entriesMax: 1_000 })

/** The bytes of a document that is not made anew; undefined for one that there is not. */
function documentReply(
  kind: 'openapi' | 'reference' | 'document',
  name: string,
  ctx: CallContext,
  make: (publicUrl: string) => Document | undefined,
): HandlerReply | undefined {
  const { publicUrl } = ctx.app
  const key = JSON.stringify([publicUrl, kind, name])
  const earlier = made.get(key)
  const entry = earlier ?? make(publicUrl)
  if (!entry) return undefined
  if (!earlier) made.set(key, entry)
  return replyWith(entry, ctx)
}

const replyWith = (entry: Document, { header }: CallContext): HandlerReply =>
  staticReply(entry, header, {
    'content-security-policy': entry.policy,
    'referrer-policy': 'no-referrer',
    'cache-control': `public, max-age=${KEPT_SECONDS}`,
    // Replies to other origins have headers of their own (api/server.ts).
    vary: 'origin, accept-encoding',
  })

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

/** Made anew for each query: a cache of them would be filled by any caller. */
export async function searchPage(query: string, ctx: CallContext): Promise<HandlerReply> {
  const words = query.trim()
  return replyWith(resultsPage(words, await search(words), ctx.app.publicUrl), ctx)
}

/** The reference with navigation, search and calls to try. */
const referenceDocument = (publicUrl: string): Document =>
  page(publicUrl, {
    title: 'API reference',
    area: 'reference',
    pagePolicy: REFERENCE_POLICY,
    head: `<script src="${rootOf(publicUrl)}/docs/reference.js" defer></script><script src="${rootOf(publicUrl)}/docs/start.js" defer></script>`,
    body: `<div id="reference"></div>
<noscript><main class="text">This page needs JavaScript. <a href="${rootOf(publicUrl)}/docs/plain">The same on a plain page.</a></main></noscript>`,
  })

function documentNamed(name: string, publicUrl: string): Document | undefined {
  switch (name) {
    case 'reference.js':
      return scriptDocument()
    case 'start.js':
      return file(SCRIPT, JAVASCRIPT)
    case 'style.css':
      return file(STYLE, 'text/css; charset=utf-8')
    case 'plain':
      return plainPage(publicUrl)
    case 'guides':
      return indexPage(publicUrl)
    default:
      return picture(name) ?? guidePage(name, publicUrl)
  }
}

function plainPage(publicUrl: string): Document {
  const { html } = renderMarkdown(reference(operations), { root: rootOf(publicUrl), pages: pageNames() })
  const body = `<main id="main" class="text plain" tabindex="-1">${html}</main>`
  return page(publicUrl, { title: 'API reference', area: 'reference', body })
}

function scriptDocument(): Document | undefined {
  try {
    const gzip = readFileSync(referenceScript)
    return compressedFile(gunzipSync(gzip), JAVASCRIPT, gzip)
  } catch {
    return undefined
  }
}

/** Pictures beside the guides, and those of the dashboard. */
const pictureFolders = [
  { ending: '.png', folder: new URL('pictures/', guidesFolder), mediaType: 'image/png' },
  { ending: '.webp', folder: dashboardPicturesFolder, mediaType: 'image/webp' },
]

function picture(name: string): Document | undefined {
  const place = pictureFolders.find(({ ending }) => name.endsWith(ending))
  // A name of the listing: a path to another file is none.
  if (!place || !readdirSync(place.folder).includes(name)) return undefined
  return file(readFileSync(new URL(name, place.folder)), place.mediaType)
}

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
