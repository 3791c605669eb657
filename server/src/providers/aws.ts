/** The common parts of the services of AWS: settings, the address of a region, signed requests, sign-in, error codes. */
import { Type } from 'typebox'
import type { HttpRequest } from '../base/exchange.ts'
import { apiAddress, apiUrl, credential } from './http-api.ts'
import type { FailedOutcome, Scope } from './outcome.ts'
import { BaseUrl, Secret } from './settings.ts'
import { signedHeaders } from './sigv4.ts'

export const awsSettings = {
  region: Type.String({
    title: 'Region',
    description: 'The region of the service, such as us-east-1',
    pattern: '^[a-z]{2}(-[a-z]{1,12}){1,3}-[0-9]{1,2}$',
    patternInWords: 'a region, such as `us-east-1`',
    destination: true,
  }),
  accessKeyId: Secret('Access key id', 'Begins with AKIA, or with ASIA when it is temporary'),
  secretAccessKey: Secret('Secret access key', 'Signs the requests and is never sent'),
  sessionToken: Type.Optional(Secret('Session token', 'Belongs to temporary credentials')),
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
