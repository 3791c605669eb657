/** The corpus: requests that public documents and repositories send to the public API, with their source and what they mean to do. */
import { readdirSync, readFileSync } from 'node:fs'

export interface Call {
  method: string
  /** With the query string, as it is on the wire. */
  path: string
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, instead of `body`. */
  text?: string
  /** Bearer unless given. */
  auth?: 'basic'
}

/** One request that a provider got, or one item of the mailbox. */
export interface ExpectedDelivery {
  by: 'sendgrid' | 'twilio' | 'slack' | 'peer' | 'mailbox'
  /** The address; the recipient id of an item without one. Left out for recipients whose id the service makes. */
  to?: string
  /** Only items of the mailbox name it. */
  channel?: string
  /** Each is part of what the recipient reads. */
  has?: string[]
  lacks?: string[]
  /** Part of the body of the request or item. */
  body?: object
}

export interface Outcome {
  /** The statuses of all messages that come of the request. */
  ends?: string[]
  /** The reason of each of them. */
  reason?: string
  sent?: ExpectedDelivery[]
}

export interface Entry {
  /** Repository and path, or the address of a page or thread. */
  source: string
  shows: string
  /** Where the service's clock stands when the request is made; the entries of a file go forward in time. */
  at?: string
  needs?: {
    /** Published notifications by the event or id that the caller names. */
    templates?: Record<string, { channels?: string[]; title?: string; body?: string; elements?: object[] }>
    /** Texts that stand for what only the service or the test can name: an id at a dotted path of a reply, or an address of the test's own peer. */
    standsFor?: Record<string, 'peer' | (Call & { gives: string })>
    before?: Call[]
  }
  request: Call
  expect: Outcome & {
    status: number
    /** Part of the reply. */
    reply?: object
    /** How the run ends that the reply names. */
    run?: string
    /** Calls that read the outcome; each reply holds in the end. */
    then?: (Call & { status?: number; reply?: object })[]
    /** The outcome when the clock stands there. */
    later?: Outcome & { at: string }
  }
  /** The reason why this service does not take it; only with such a status. */
  refused?: string
}

export interface CorpusFile {
  name: string
  /** Where the service's clock stands at first. */
  clock?: string
  /** Providers with an integration; the mailbox serves the other channels. */
  integrations: ('sendgrid' | 'twilio' | 'slack' | 'webhook')[]
  entries: Entry[]
}

const folder = new URL('./corpus/', import.meta.url)

export const corpus: CorpusFile[] = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => ({
    name: name.replace('.json', ''),
    ...(JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Omit<CorpusFile, 'name'>),
  }))
