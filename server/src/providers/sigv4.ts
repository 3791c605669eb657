/** Signs a request of AWS: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
import { createHash, createHmac } from 'node:crypto'
import type { HttpRequest } from '../base/exchange.ts'

export interface AwsCredentials {
  accessKeyId: string
  secretAccessKey: string
  /** Belongs to temporary credentials. */
  sessionToken?: string | undefined
}

interface Scope {
  region: string
  /** The name that AWS signs for, such as `ses`. */
  service: string
  now: number
}

type Unsigned = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>

/** The headers of the request with its date, its token and its signature. Every header is signed. */
export function signedHeaders(request: Unsigned, credentials: AwsCredentials, scope: Scope): Record<string, string> {
  const { accessKeyId, sessionToken } = credentials
  // `20261120T120000Z`
  const time = new Date(scope.now).toISOString().replace(/[-:]|\.\d+/g, '')
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-date': time,
    ...(sessionToken ? { 'x-amz-security-token': sessionToken } : {}),
  }
  const url = new URL(request.url)
  // The connection writes the host; it is signed all the same.
  const signed = Object.entries({ ...headers, host: url.host }).map(([name, value]) => [
    name.toLowerCase(),
    value.trim().replace(/ +/g, ' '),
  ])
  signed.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  const names = signed.map(([name]) => name).join(';')
  const canonical = [
    request.method,
    // AWS encodes the path once more than the URL does, except for S3.
    url.pathname.split('/').map(encoded).join('/'),
    canonicalQuery(url.searchParams),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(request.body ?? ''),
  ].join('\n')
  const parts = [time.slice(0, 8), scope.region, scope.service, 'aws4_request']
  const text = ['AWS4-HMAC-SHA256', time, parts.join('/'), sha256(canonical)].join('\n')
  const key = parts.reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${credentials.secretAccessKey}`)
  const signature = createHmac('sha256', key).update(text).digest('hex')
  const credential = `${accessKeyId}/${parts.join('/')}`
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Percent-encoding of all but the unreserved characters of RFC 3986. */
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

function canonicalQuery(query: URLSearchParams): string {
  const pairs = [...query].map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
  return pairs.sort().join('&')
}
