/** The common parts of the services of AWS: settings, the address of a region, requests and their signature, sign-in, error codes. */

import { createHash, createHmac } from 'node:crypto'
import { Type } from 'typebox'
import type { HttpRequest } from '../base/exchange.ts'
import { apiAddress, apiUrl, credential } from './http-api.ts'
import type { FailedOutcome, Scope } from './outcome.ts'
import { BaseUrl, inGroup, Secret } from './settings.ts'

export const awsSettings = {
  region: Type.String({
    title: 'Region',
    description: 'The AWS region, such as us-east-1',
    pattern: '^[a-z]{2}(-[a-z]{1,12}){1,3}-[0-9]{1,2}$',
    patternText: 'a region, such as `us-east-1`',
    destination: true,
  }),
  accessKeyId: Secret(
    'Access key id',
    'The id of the access key. It begins with AKIA, or with ASIA if the key is temporary',
  ),
  secretAccessKey: Secret('Secret access key', 'The secret that signs requests. It is never sent'),
  ...inGroup('advanced', {
    sessionToken: Type.Optional(Secret('Session token', 'The session token of temporary credentials')),
  }),
  baseUrl: BaseUrl(),
}

/** Merged settings, as an override may leave them. */
export interface AwsSettings {
  region?: string
  accessKeyId?: string
  secretAccessKey?: string
  sessionToken?: string
  baseUrl?: string
}

/** The first part of the host, and the name that requests are signed for. */
interface Service {
  host: string
  name: string
}

/** The regions of China have a domain of their own: https://docs.aws.amazon.com/general/latest/gr/rande.html */
const homeOf = ({ region = '' }: AwsSettings, { host }: Service) =>
  `https://${host}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`

type Call = Pick<HttpRequest, 'method' | 'headers' | 'body' | 'final'> & { path: string }

/** The request of a delivery, with a signature that holds for minutes. */
export function awsRequest(settings: AwsSettings, service: Service, call: Call, now: number): HttpRequest {
  const accessKeyId = credential(settings.accessKeyId, 'access key id')
  const secretAccessKey = credential(settings.secretAccessKey, 'secret access key')
  const { path, ...request } = call
  const url = apiUrl(settings.baseUrl ?? homeOf(settings, service), path)
  const { region = '', sessionToken } = settings
  const scope = { region, service: service.name, now }
  const headers = signedHeaders({ ...request, url }, { accessKeyId, secretAccessKey, sessionToken }, scope)
  return { kind: 'http', ...request, url, headers }
}

/** The same for a check of the integration; undefined when the base is no web address. */
export function awsCheck(settings: AwsSettings, service: Service, call: Omit<Call, 'final'>, now: number) {
  if (apiAddress(settings.baseUrl ?? homeOf(settings, service), call.path) === undefined) return undefined
  return awsRequest(settings, service, { ...call, final: false }, now)
}

export const awsSecrets = ({ accessKeyId, secretAccessKey, sessionToken }: AwsSettings) => [
  secretAccessKey,
  sessionToken,
  accessKeyId,
]

/** Codes of every service, with `Exception` at their end or without: https://docs.aws.amazon.com/ses/latest/APIReference-V2/CommonErrors.html */
const THROTTLED = new Set(['Throttling', 'Throttled', 'RequestThrottled', 'TooManyRequests'])
const CONFIGURATION = new Set(
  ['AccessDenied', 'AuthorizationError', 'ExpiredToken', 'IncompleteSignature', 'InvalidClientTokenId', 'NotAuthorized']
    .concat(['MissingAuthenticationToken', 'OptInRequired', 'RequestExpired'])
    .concat(['InvalidSecurity', 'InvalidSignature', 'SignatureDoesNotMatch', 'UnrecognizedClient']),
)

/** `code` is the error code of the service, whose own codes are in `scopes`. */
export function byAwsCode(
  failed: FailedOutcome,
  code: string | undefined,
  scopes: ReadonlyMap<string, Scope>,
): FailedOutcome {
  if (failed.kind !== 'rejected' || code === undefined) return failed
  const name = code.replace(/Exception$/, '')
  if (THROTTLED.has(name)) return { kind: 'retry', error: failed.error, attempted: false }
  const scope = scopes.get(name) ?? (CONFIGURATION.has(name) ? 'configuration' : undefined)
  return scope ? { ...failed, scope } : failed
}

/** Credentials that may send and not read the account are recognized, and refused for lack of permission. */
export const lacksPermission = (code: string | undefined) =>
  code !== undefined && /^(?:AccessDenied|AuthorizationError)/.test(code)

interface AwsCredentials {
  accessKeyId: string
  secretAccessKey: string
  /** Belongs to temporary credentials. */
  sessionToken?: string | undefined
}

interface SigningScope {
  region: string
  /** The name that AWS signs for, such as `ses`. */
  service: string
  now: number
}

type Unsigned = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>

/**
 * The headers of the request with its date, its token and its signature; every header is signed:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signedHeaders(
  request: Unsigned,
  credentials: AwsCredentials,
  scope: SigningScope,
): Record<string, string> {
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
