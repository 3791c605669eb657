/** The configuration: environment variables, read and checked once. Every variable has one line in `variables`. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { callsPerMinuteMax, type KeyEnvironment, keyEnvironments, operations } from '@postrider/contract'
import ipaddr from 'ipaddr.js'
import { isHost } from './base/host.ts'
import { type LogLevel, logLevels } from './base/log.ts'
import { didYouMean, mustBeOneOf, nearestName, quoted, quotedList } from './base/quote.ts'

export const variables = {
  POSTRIDER_PORT: { default: '4600', meaning: 'Port of the API.' },
  POSTRIDER_HOST: {
    default: '127.0.0.1',
    meaning: 'Address on which the API listens. 0.0.0.0 stands for every interface.',
  },
  POSTRIDER_DATA_DIR: { default: './data', meaning: 'Folder of the local database and its secret key.' },
  POSTRIDER_DATABASE_URL: {
    default: '',
    meaning: 'URL of a PostgreSQL server (15 or newer), which replaces the local database.',
  },
  POSTRIDER_DATABASE_CONNECTIONS: {
    default: '10',
    meaning:
      'Connections of each process to the PostgreSQL server, from 2 to 100. One more connection listens for notifications.',
  },
  POSTRIDER_POSTGRES_BIN: {
    default: '',
    meaning:
      'Folder with the programs initdb and postgres for the local database. When empty, those that npm installed, else those of the system.',
  },
  POSTRIDER_ROLE: {
    default: 'all',
    meaning:
      'Work of the process: api serves the API, worker delivers and runs background jobs, all does both. The local database needs all.',
  },
  POSTRIDER_API_KEY: {
    default: '',
    meaning:
      'API key that the start adds: 24 to 256 printable characters without spaces. When empty, the first start makes a key and prints it once.',
  },
  POSTRIDER_SECRET_KEY: {
    default: '',
    meaning:
      'Key that encrypts stored credentials: 32 bytes in base64. Required with a PostgreSQL server. With the local database, the first start makes one in the data folder.',
  },
  POSTRIDER_PUBLIC_URL: {
    default: '',
    meaning:
      'URL under which others reach this server, without a user name, query or fragment. When empty, http://host:port, with 127.0.0.1 in place of 0.0.0.0.',
  },
  POSTRIDER_TRUSTED_PROXIES: {
    default: '',
    meaning:
      'Comma-separated CIDRs of your proxies. Postrider takes the address of a client from their X-Forwarded-For, for audit events and the limit of failed sign-ins. None when empty.',
  },
  POSTRIDER_DASHBOARD: { default: 'on', meaning: 'on or off: whether `/app/` serves the dashboard.' },
  POSTRIDER_ALLOW_PRIVATE_NETWORK: {
    default: 'false',
    meaning:
      'Whether providers, webhooks and `fetch-data` can use private addresses: false, true, or the comma-separated CIDRs that they can use.',
  },
  POSTRIDER_LMTP_PORT: {
    default: '',
    meaning: 'Port on which a mail server delivers bounces by LMTP. Off when empty.',
  },
  POSTRIDER_LMTP_HOST: {
    default: '127.0.0.1',
    meaning: 'Address on which LMTP listens. LMTP has neither TLS nor a login, so let only the mail server reach it.',
  },
  POSTRIDER_RETENTION_DAYS: {
    default: '90',
    meaning: 'Days after which finished messages are deleted. A whole week is deleted at a time.',
  },
  POSTRIDER_RATE_LIMITS: {
    default: '',
    meaning:
      'Calls a minute by operation, such as events.put=20,keys.create=5. The word recommended stands for the limits in the API reference. Only the fixed limits when empty.',
  },
  POSTRIDER_STRICT_SENDS: {
    default: '',
    meaning: 'Environments whose sends are strict by default: production, test, or production,test. None when empty.',
  },
  POSTRIDER_LEASE_SECONDS: {
    default: '45',
    meaning: 'Seconds after which another process takes over the messages of a process that died.',
  },
  POSTRIDER_LOG_LEVEL: { default: 'info', meaning: `One of ${logLevels.join(', ')}.` },
} as const

type Variable = keyof typeof variables
type Role = 'all' | 'api' | 'worker'

export interface Config {
  port: number
  host: string
  publicUrl: string
  /** The public URL was given: providers can reach it. */
  isPublic: boolean
  dashboard: boolean
  /** CIDRs. */
  trustedProxies: readonly string[]
  dataDir: string
  databaseUrl: string | undefined
  /** Those to the server of `databaseUrl`, without the one that listens. */
  databaseConnections: number
  postgresBin: string | undefined
  role: Role
  apiKey: string | undefined
  secretKey: Buffer | undefined
  /** The variable, and its file where it names one, for messages about the key. */
  secretKeyFrom: string
  allowPrivateNetwork: boolean | string[]
  /** Where bounces come in by LMTP; undefined: nowhere. */
  lmtp: { host: string; port: number } | undefined
  retentionDays: number
  leaseSeconds: number
  /** Calls a minute of a workspace, by operation. */
  rateLimits: ReadonlyMap<string, number>
  /** The environments in which sends are strict by default. */
  strictSends: ReadonlySet<KeyEnvironment>
  logLevel: LogLevel
  /** A sentence about each variable with our prefix that nothing reads; none has a value. */
  unknownVariables: readonly string[]
  /** The point at which a test kills the process; see `base/failpoint`. */
  failpoint: string | undefined
}

/** The invalid variables, each with the expected value. */
export class ConfigInvalid extends Error {
  override readonly name = 'ConfigInvalid'
  readonly issues: string[]

  constructor(issues: string[]) {
    super(`The configuration is not usable:\n${issues.map((issue) => `  ${issue}`).join('\n')}`)
    this.issues = issues
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** `NAME_FILE` names a file that holds the value, for secrets that are mounted. Throws `ConfigInvalid`. */
export function readConfig(env: Environment = process.env): Config {
  const issues: string[] = []
  const text = (name: Variable) => readVariable(env, name, issues)
  const integer = (name: Variable, least: number, most: number) => {
    const digits = text(name)
    const value = Number(digits)
    if (/^\d{1,9}$/.test(digits) && value >= least && value <= most) return value
    issues.push(
      `${name} must be a whole number from ${least} to ${most}${SERVICE_ADDRESS.test(digits) ? SERVICE_HINT : ''}`,
    )
    return least
  }
  const choice = <T extends string>(name: Variable, choices: readonly T[]): T => {
    const match = choices.find((candidate) => candidate === text(name))
    if (!match) issues.push(`${name} ${mustBeOneOf(choices)}`)
    return match ?? (choices[0] as T)
  }

  const host = text('POSTRIDER_HOST')
  const port = integer('POSTRIDER_PORT', 0, 65_535)
  const databaseUrl = databaseAddress(text('POSTRIDER_DATABASE_URL'), issues)
  const config: Config = {
    port,
    host,
    databaseUrl,
    databaseConnections: integer('POSTRIDER_DATABASE_CONNECTIONS', 2, 100),
    postgresBin: text('POSTRIDER_POSTGRES_BIN') || undefined,
    publicUrl: text('POSTRIDER_PUBLIC_URL').replace(/\/+$/, '') || urlOf(host, port),
    isPublic: text('POSTRIDER_PUBLIC_URL') !== '',
    trustedProxies: proxies(text('POSTRIDER_TRUSTED_PROXIES'), issues),
    dashboard: choice('POSTRIDER_DASHBOARD', ['on', 'off']) === 'on',
    dataDir: resolve(text('POSTRIDER_DATA_DIR')),
    role: choice('POSTRIDER_ROLE', ['all', 'api', 'worker']),
    apiKey: text('POSTRIDER_API_KEY') || undefined,
    secretKey: secretKeyBytes(text('POSTRIDER_SECRET_KEY'), issues),
    secretKeyFrom: env.POSTRIDER_SECRET_KEY_FILE
      ? `POSTRIDER_SECRET_KEY_FILE (${env.POSTRIDER_SECRET_KEY_FILE})`
      : 'POSTRIDER_SECRET_KEY',
    allowPrivateNetwork: networkPolicy(text('POSTRIDER_ALLOW_PRIVATE_NETWORK'), issues),
    lmtp: text('POSTRIDER_LMTP_PORT')
      ? { host: text('POSTRIDER_LMTP_HOST'), port: integer('POSTRIDER_LMTP_PORT', 1, 65_535) }
      : undefined,
    retentionDays: integer('POSTRIDER_RETENTION_DAYS', 1, 3_650),
    rateLimits: rateLimits(text('POSTRIDER_RATE_LIMITS'), issues),
    strictSends: environments(text('POSTRIDER_STRICT_SENDS'), issues),
    leaseSeconds: integer('POSTRIDER_LEASE_SECONDS', 1, 600),
    logLevel: choice('POSTRIDER_LOG_LEVEL', logLevels),
    unknownVariables: unknownVariables(env),
    failpoint: env.POSTRIDER_FAILPOINT || undefined,
  }
  if (config.apiKey && !/^[\x21-\x7e]{24,256}$/.test(config.apiKey))
    issues.push('POSTRIDER_API_KEY must have 24 to 256 printable characters and no spaces')
  if (databaseUrl && !text('POSTRIDER_SECRET_KEY'))
    issues.push(
      'POSTRIDER_SECRET_KEY is required with POSTRIDER_DATABASE_URL: that of the database, or for a new one the output of openssl rand -base64 32',
    )
  if (!databaseUrl && config.role !== 'all')
    issues.push('POSTRIDER_ROLE other than all needs POSTRIDER_DATABASE_URL: the local database serves one process')
  if (config.isPublic) issues.push(...publicUrlIssues(config.publicUrl))
  else if (!URL.canParse(config.publicUrl))
    issues.push('POSTRIDER_HOST must be the name or address of an interface, such as 127.0.0.1 or 0.0.0.0')
  // A misspelled variable is often the reason.
  if (issues.length > 0) throw new ConfigInvalid([...issues, ...config.unknownVariables])
  return config
}

const PREFIX = 'POSTRIDER_'
const variableNames = Object.keys(variables).flatMap((name) => [name, `${name}_FILE`])
/** Read by the command, by clients and by tests, and by them alone. */
const otherNames = ['POSTRIDER_URL', 'POSTRIDER_SOURCE_API_KEY', 'POSTRIDER_SOURCE_API_KEY_FILE', 'POSTRIDER_FAILPOINT']
const TEST_PREFIX = 'POSTRIDER_TEST_'
/** More are a mistake of another kind. */
const SENTENCES_MAX = 20

/** Kubernetes sets these in pods beside a Service whose name begins with `postrider`: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables */
const SERVICE_VARIABLE = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//
const SERVICE_HINT =
  '. Kubernetes has set it for a Service with the name postrider: set `enableServiceLinks: false` in the pod, or rename the Service'

function unknownVariables(env: Environment): string[] {
  const names = new Set([...variableNames, ...otherNames])
  const isRead = (name: string) => names.has(name) || name.startsWith(TEST_PREFIX)
  const isOfService = (name: string) => SERVICE_VARIABLE.test(name) || SERVICE_ADDRESS.test(env[name] ?? '')
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !isRead(name) && !isOfService(name))
    .slice(0, SENTENCES_MAX)
    .map((name) => `Unknown variable ${quoted(name)}.${variableAdvice(name)}`)
}

/** Compared without the prefix, which all names share. */
function variableAdvice(name: string): string {
  const endings = [...variableNames, ...otherNames].map((candidate) => candidate.slice(PREFIX.length))
  const near = nearestName(name.slice(PREFIX.length), endings)
  return near === undefined ? ' They are listed by: postrider serve --help' : didYouMean(PREFIX + near)
}

/** Every link begins with it. The value is not repeated: it may hold a password. */
function publicUrlIssues(text: string): string[] {
  const [, authority = '', path = ''] = /^https?:\/\/([^/\\?#]+)(.*)$/is.exec(text) ?? []
  if (authority.includes('@'))
    return ['POSTRIDER_PUBLIC_URL must have no user name and no password: everyone who gets a link would read them']
  if (/[?#]/.test(path))
    return ['POSTRIDER_PUBLIC_URL must have no query and no fragment: the paths of links are added to its end']
  const isUsable = authority !== '' && URL.canParse(text) && isHost(new URL(text).host)
  if (isUsable && /^(\/[\w.~!$&'()*+,;=:@%-]*)*$/.test(path)) return []
  return ['POSTRIDER_PUBLIC_URL must be an address such as https://notify.example.com']
}

function readVariable(env: Environment, name: Variable, issues: string[]): string {
  const file = env[`${name}_FILE`]
  if (!file) return env[name]?.trim() || variables[name].default
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    issues.push(`${name}_FILE cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    return variables[name].default
  }
}

function databaseAddress(text: string, issues: string[]): string | undefined {
  if (!text) return undefined
  if (!/^postgres(ql)?:\/\//.test(text))
    issues.push('POSTRIDER_DATABASE_URL must begin with postgres:// or postgresql://')
  else if (!URL.canParse(text))
    issues.push('POSTRIDER_DATABASE_URL must be an address such as postgres://user:password@host:5432/database')
  return text
}

function secretKeyBytes(text: string, issues: string[]): Buffer | undefined {
  if (!text) return undefined
  // A lenient decoder skips invalid characters, and would read a mistyped key as another one.
  const bytes = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined
  if (bytes?.length === 32) return bytes
  const length = bytes ? `${bytes.length} bytes` : 'a string that is not base64'
  issues.push(`POSTRIDER_SECRET_KEY must be 32 bytes in base64, and is ${length}; a new one: openssl rand -base64 32`)
  return undefined
}

function networkPolicy(text: string, issues: string[]): boolean | string[] {
  if (text === 'false' || text === 'true') return text === 'true'
  const cidrs = text.split(',').map((part) => part.trim())
  for (const cidr of cidrs)
    if (!ipaddr.isValidCIDR(cidr))
      issues.push(`POSTRIDER_ALLOW_PRIVATE_NETWORK must be \`false\`, \`true\` or CIDRs: ${quoted(cidr)} is not a CIDR`)
  return cidrs
}

function proxies(text: string, issues: string[]): string[] {
  const cidrs = text.split(',').flatMap((part) => part.trim() || [])
  const invalid = cidrs.find((cidr) => !ipaddr.isValidCIDR(cidr))
  if (invalid === undefined) return cidrs
  issues.push(`POSTRIDER_TRUSTED_PROXIES must be CIDRs such as 10.0.0.0/8: ${quoted(invalid)} is not a CIDR`)
  return []
}

function environments(text: string, issues: string[]): ReadonlySet<KeyEnvironment> {
  const names = text.split(',').flatMap((part) => part.trim() || [])
  const environmentNames = keyEnvironments.filter((environment) => names.includes(environment))
  if (names.some((name) => !environmentNames.some((environment) => environment === name)))
    issues.push(`POSTRIDER_STRICT_SENDS must be a list of ${quotedList(keyEnvironments)}, or empty`)
  return new Set(environmentNames)
}

function rateLimits(text: string, issues: string[]): ReadonlyMap<string, number> {
  const limits = new Map<string, number>()
  for (const part of text.split(',').map((part) => part.trim())) {
    if (part === '') continue
    const [, id, digits] = /^([\w.]+) *= *(\d{1,7})$/.exec(part) ?? []
    const perMinute = Number(digits)
    if (part === 'recommended') {
      for (const { id, recommendedPerMinute } of operations)
        if (recommendedPerMinute !== undefined) limits.set(id, recommendedPerMinute)
    } else if (id === undefined || perMinute < 1 || perMinute > callsPerMinuteMax)
      issues.push(
        `POSTRIDER_RATE_LIMITS must be \`recommended\`, or a list such as \`events.put=20\`: ${quoted(part)} is neither`,
      )
    else if (!operations.some((operation) => operation.id === id))
      issues.push(`POSTRIDER_RATE_LIMITS names an unknown operation ${quoted(id)}: the API reference lists them`)
    else limits.set(id, perMinute)
  }
  return limits
}

/** Links cannot name the wildcard address: they use the loopback address. */
function urlOf(host: string, port: number): string {
  const named = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${named.includes(':') ? `[${named}]` : named}:${port}`
}
