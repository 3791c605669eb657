/** Serves the built dashboard under /app/: files of its folder with their compressed copies, and one page for every other path. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CallerError, unknownPath } from '../base/errors.ts'
import { type HandlerReply, write } from './call.ts'
import { type StaticFile, staticFile, staticReply } from './static-file.ts'

const HOME = '/app/'
/** Relative: it holds below any path of a proxy, too. */
export const HOME_PAGE = 'app/'
const PAGE = 'index.html'
/** Shows rendered mail: sandboxed, with a policy of its own. */
const MAIL_FRAME = 'mail-frame.html'
/** Names with a digest of the content. */
const HASHED = 'assets/'
/** A build has some fifty. */
const FILES_MAX = 2_000

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
}

const policy = (directives: readonly string[]) => ["default-src 'none'", ...directives, "base-uri 'none'"].join('; ')

const PAGE_POLICY = policy([
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
])
/** The mail keeps its styles and none of its scripts. Remote pictures, which tell their server who reads, only on demand. */
const framePolicy = (images: string) =>
  policy([
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    `img-src ${images}`,
    'font-src data:',
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox',
  ])
const FRAME_POLICY = framePolicy('data:')
const IMAGES_POLICY = framePolicy('data: https: http:')
const FILE_POLICY = policy(["style-src 'unsafe-inline'", "form-action 'none'", "frame-ancestors 'none'"])

/** `page`: a path without a slash at its begin. Without a dashboard only browsers are redirected: a program gets the 404. */
export function redirectRoot(server: FastifyInstance, page: typeof HOME_PAGE | 'docs', publicUrl: string): void {
  server.get('/', { config }, ({ originalUrl, headers }, reply) => {
    if (page === 'docs' && !headers.accept?.includes('text/html'))
      throw new CallerError('unknown_path', `Not Found. The reference of the API is at ${publicUrl}/docs`)
    const [path = '/'] = originalUrl.split('?', 1)
    // Below a path of a proxy, without the slash at its end: relative to what is before it.
    return write(reply, redirect(`${path.endsWith('/') ? '' : `${path.slice(path.lastIndexOf('/') + 1)}/`}${page}`))
  })
}

export function registerDashboard(server: FastifyInstance, folder: URL): void {
  const files = createFiles(folder)
  for (const url of ['/app', '/app/*'])
    server.get(url, { config }, (request, reply) => {
      const [path = '', query = ''] = request.url.split('?', 2)
      // The router reads `//app/` and `/%61pp/` as the same path.
      return write(reply, path === '/app' ? redirect(HOME_PAGE) : fileReply(files, pathBelowHome(path), query, request))
    })
}

const config = { cors: false, sameOrigin: true }

const redirect = (location: string) => ({ status: 302, headers: { location, 'cache-control': 'no-cache' } })

const pathBelowHome = (path: string): string => /^\/*[^/]*\/+(.*)$/s.exec(path)?.[1] ?? ''

/** The page for every path that is no file: it is the page's own router that reads it. */
function fileReply(files: Files, path: string, query: string, { headers }: FastifyRequest): HandlerReply {
  const file = path.startsWith(HASHED) ? files.read(path) : (path !== PAGE && files.read(path)) || files.page(path)
  if (!file) {
    if (path.startsWith(HASHED)) throw unknownPath()
    return NOT_BUILT
  }
  return staticReply(file, (name) => headers[name] as string | undefined, {
    ...headersOf(path, query, file),
    vary: 'accept-encoding',
    'referrer-policy': 'same-origin',
  })
}

function headersOf(path: string, query: string, { mediaType }: StaticFile): Record<string, string> {
  if (path.startsWith(HASHED))
    return { 'cache-control': 'public, max-age=31536000, immutable', 'content-security-policy': FILE_POLICY }
  const revalidated = { 'cache-control': 'no-cache' }
  if (!mediaType.startsWith('text/html')) return { ...revalidated, 'content-security-policy': FILE_POLICY }
  if (path === MAIL_FRAME)
    return { ...revalidated, 'content-security-policy': query === 'images=1' ? IMAGES_POLICY : FRAME_POLICY }
  return {
    ...revalidated,
    'content-security-policy': PAGE_POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  }
}

interface Files {
  /** Undefined for what the build does not have. */
  read(path: string): StaticFile | undefined
  /** The page at a path, whose addresses are relative to it; undefined without a build. */
  page(path: string): StaticFile | undefined
}

/** Files in memory: each is read once, and all are forgotten when the dashboard was built again. */
function createFiles(folder: URL): Files {
  let builtAt: number | undefined
  let names: ReadonlySet<string> = new Set()
  const files = new Map<string, StaticFile>()

  const refresh = () => {
    const page = statSync(new URL(PAGE, folder), { throwIfNoEntry: false })
    if (page?.mtimeMs === builtAt) return
    builtAt = page?.mtimeMs
    files.clear()
    names = new Set(page ? namesIn(folder) : [])
  }

  const read = (path: string): StaticFile | undefined => {
    // A name of the listing: a path to a file elsewhere is none.
    if (!names.has(path)) return undefined
    const file = files.get(path) ?? readFile(folder, path)
    files.set(path, file)
    return file
  }

  return {
    read(path) {
      if (!path.startsWith(HASHED) || builtAt === undefined) refresh()
      return read(path)
    },
    page(path) {
      refresh()
      const page = read(PAGE)
      const depth = path.split('/').length - 1
      if (!page || depth > DEPTH_MAX) return page
      const key = `${PAGE} ${depth}`
      const file = files.get(key) ?? pageAt(page, depth)
      files.set(key, file)
      return file
    },
  }
}

/** No screen is deeper; below it the addresses are those of a server at the root of its host. */
const DEPTH_MAX = 8

/** Below whatever path of a proxy the page is read, its files are next to it. */
function pageAt({ content, mediaType }: StaticFile, depth: number): StaticFile {
  const home = depth === 0 ? './' : '../'.repeat(depth)
  return staticFile(content.toString().replaceAll(`"${HOME}`, `"${home}`), mediaType)
}

const namesIn = (folder: URL): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: false })
    .map((name) => String(name).replaceAll('\\', '/'))
    .filter((name) => extname(name) in mediaTypes)
    .slice(0, FILES_MAX)

function readFile(folder: URL, path: string): StaticFile {
  const url = new URL(path.split('/').map(encodeURIComponent).join('/'), folder)
  const copy = (suffix: string) => {
    const compressed = new URL(`${url.href}${suffix}`)
    return existsSync(compressed) ? readFileSync(compressed) : undefined
  }
  const mediaType = mediaTypes[extname(path)] ?? 'application/octet-stream'
  return staticFile(readFileSync(url), mediaType, { br: copy('.br'), gzip: copy('.gz') })
}

const NOT_BUILT: HandlerReply = {
  status: 404,
  raw: {
    content: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Dashboard · Postrider</title></head>
<body><h1>The dashboard is not built</h1>
<p>Run <code>npm run build</code> in the checkout of Postrider, then load this page again. The API works without it: <a href="/docs">its reference</a>.</p>
</body></html>`,
    mediaType: 'text/html; charset=utf-8',
  },
  headers: {
    'cache-control': 'no-store',
    'content-security-policy': policy(["form-action 'none'", "frame-ancestors 'none'"]),
  },
}
