/** Brings the request of an official SDK and that of our adapter into one form that can be compared. */
import type { Provider } from '@postrider/server/providers'
import { providers } from '@postrider/server/providers'
import type { AdapterRun, Scene } from '@postrider/server/providers/harness'
import { replied, runAdapter, runBatch } from '@postrider/server/providers/harness'
import type { Recorder } from '../../support/peers/recorder.ts'

export interface Likeness {
  method: string
  path: string
  authorization: string | undefined
  contentType: string | undefined
  idempotencyKey: string | undefined
  body: unknown
}

/** The request that arrived last; an SDK has its reply, therefore its request is in. */
export function latestLikeness(recorder: Recorder): Likeness {
  const latest = recorder.all.at(-1)
  if (!latest) throw new Error('Nothing arrived')
  return likeness(latest.method, latest.path, latest.headers, latest.body)
}

/** The HTTP request of the adapter for this message; every reply it waits for is `reply`. */
export function adapterLikeness(provider: Provider, sample: Scene, reply: object | string): Likeness[] {
  const answers = Array.from({ length: 4 }, () => replied(200, reply))
  const { requests }: AdapterRun = runAdapter(provider, sample, ...answers)
  return requests.map((request) => {
    if (request.kind !== 'http') throw new Error(`${provider.key} requested ${request.kind} instead of http`)
    const { pathname, search } = new URL(request.url)
    const body = request.bytes ? Buffer.from(request.bytes).toString() : (request.body ?? '')
    return likeness(request.method, pathname + search, request.headers, body)
  })
}

/** The call that messages share. */
export function batchLikeness(provider: Provider, samples: readonly Scene[]): Likeness {
  const { request } = runBatch(provider, samples, replied(503))
  return likeness(request.method, new URL(request.url).pathname, request.headers, request.body ?? '')
}

export function adapter(key: string): Provider {
  const provider = providers.get(key)
  if (!provider) throw new Error(`There is no provider ${key}`)
  return provider
}

function likeness(method: string, path: string, headers: Record<string, string>, body: string): Likeness {
  // A charset is the default of JSON and forms; a boundary is made anew for each request.
  const [contentType, parameters = ''] = headers['content-type']?.split(/;\s*/, 2) ?? []
  const { authorization, 'idempotency-key': idempotencyKey } = headers
  return { method, path, authorization, contentType, idempotencyKey, body: parsed(contentType, parameters, body) }
}

/** Forms as sorted pairs, since order carries no meaning; values that are JSON are compared as such. */
function parsed(contentType: string | undefined, parameters: string, body: string): unknown {
  if (contentType === 'application/json') return JSON.parse(body)
  if (contentType === 'text/plain') return body
  if (contentType === 'multipart/form-data') return parts(body, parameters.replace(/^boundary="?([^"]+)"?$/, '$1'))
  const pairs = [...new URLSearchParams(body)].map(([name, value]) => [name, structured(value)])
  return pairs.sort(([a], [b]) => String(a).localeCompare(String(b)))
}

function structured(value: string): unknown {
  return /^[[{]/.test(value) ? JSON.parse(value) : value
}

/** The parts of a form with their headers, sorted. The type of a field that is no file is text, stated or not. */
function parts(body: string, boundary: string): unknown[] {
  const inside = body.split(`--${boundary}`).slice(1, -1)
  return inside
    .map((part) => {
      const [head = '', ...content] = part.replace(/^\r\n|\r\n$/g, '').split('\r\n\r\n')
      return { head: head.split('\r\n').sort(), content: content.join('\r\n\r\n') }
    })
    .sort((a, b) => `${a.head}${a.content}`.localeCompare(`${b.head}${b.content}`))
}
