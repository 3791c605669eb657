/** The client: the calls of the API, bound to a server and a key. */
import { type Call, type Connection, caller } from './call.ts'
import { api } from './generated.ts'

export interface PostriderOptions extends Partial<Omit<Connection, 'apiKey'>> {
  apiKey: string
}

type Api = ReturnType<typeof api>

export class Postrider implements Api {
  readonly send: Api['send']
  readonly explain: Api['explain']
  readonly simulate: Api['simulate']
  readonly messages: Api['messages']
  readonly requests: Api['requests']
  readonly bulk: Api['bulk']
  readonly automations: Api['automations']
  readonly profiles: Api['profiles']
  readonly erasures: Api['erasures']
  readonly lists: Api['lists']
  readonly deviceTokens: Api['deviceTokens']
  readonly tenants: Api['tenants']
  readonly memberships: Api['memberships']
  readonly accounts: Api['accounts']
  readonly preferences: Api['preferences']
  readonly sections: Api['sections']
  readonly topics: Api['topics']
  readonly digests: Api['digests']
  readonly audiences: Api['audiences']
  readonly events: Api['events']
  readonly inbound: Api['inbound']
  readonly notifications: Api['notifications']
  readonly brands: Api['brands']
  readonly translations: Api['translations']
  readonly providers: Api['providers']
  readonly webhooks: Api['webhooks']
  readonly keys: Api['keys']
  readonly auth: Api['auth']
  readonly auditEvents: Api['auditEvents']
  readonly mailbox: Api['mailbox']
  readonly service: Api['service']
  /** Any call, for what this version of the client does not know: `call({ method, path, … })`. */
  readonly call: Call

  /** Throws a `TypeError` for an empty key, and for a base URL that is no web address. */
  constructor(options: PostriderOptions) {
    this.call = caller({
      apiKey: checkedKey(options.apiKey),
      baseUrl: checkedUrl(options.baseUrl ?? 'http://127.0.0.1:4600').replace(/\/+$/, ''),
      // Longer than any answer of a healthy server, shorter than the patience of most callers.
      timeoutMs: options.timeoutMs ?? 30_000,
      retries: options.retries ?? 2,
      backoffMs: options.backoffMs ?? 500,
      // Looked up at each call, and called without a receiver, as browsers demand.
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    })
    const calls = api(this.call)
    this.send = calls.send
    this.explain = calls.explain
    this.simulate = calls.simulate
    this.messages = calls.messages
    this.requests = calls.requests
    this.bulk = calls.bulk
    this.automations = calls.automations
    this.profiles = calls.profiles
    this.erasures = calls.erasures
    this.lists = calls.lists
    this.deviceTokens = calls.deviceTokens
    this.tenants = calls.tenants
    this.memberships = calls.memberships
    this.accounts = calls.accounts
    this.preferences = calls.preferences
    this.sections = calls.sections
    this.topics = calls.topics
    this.digests = calls.digests
    this.audiences = calls.audiences
    this.events = calls.events
    this.inbound = calls.inbound
    this.notifications = calls.notifications
    this.brands = calls.brands
    this.translations = calls.translations
    this.providers = calls.providers
    this.webhooks = calls.webhooks
    this.keys = calls.keys
    this.auth = calls.auth
    this.auditEvents = calls.auditEvents
    this.mailbox = calls.mailbox
    this.service = calls.service
  }
}

function checkedKey(apiKey: string): string {
  if (typeof apiKey === 'string' && apiKey.trim() !== '') return apiKey
  throw new TypeError('apiKey is empty: it is an API key of the server, such as pk_prod_…')
}

function checkedUrl(baseUrl: string): string {
  if (/^https?:\/\/[^/]/i.test(baseUrl)) return baseUrl
  throw new TypeError(`baseUrl must begin with http:// or https://, and is ${JSON.stringify(baseUrl)}`)
}
