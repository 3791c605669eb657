/** Things that exist: made through the API, named in requests by a mark that is replaced when the request is sent. */
import type { ApiCaller } from '../support/api-client.ts'
import { type Fixture, fixtures } from '../support/fixtures.ts'

/** Field names of bodies whose values are often ids. */
const FIELDS: Readonly<Record<string, string>> = {
  recipient: 'user_id',
  recipientId: 'user_id',
  user_id: 'user_id',
  userId: 'user_id',
  event: 'event_id',
  list: 'list_id',
  listId: 'list_id',
  list_id: 'list_id',
  audience_id: 'audience_id',
  tenant: 'tenant_id',
  tenant_id: 'tenant_id',
  tenantId: 'tenant_id',
  parent_tenant_id: 'tenant_id',
  topic_id: 'topic_id',
  template: 'notifications.id',
  notification: 'notifications.id',
  notification_id: 'notifications.id',
  provider_id: 'providers.id',
  provider: 'provider',
}

/** The provider of the integration that `providers.id` makes. */
const PROVIDER = 'twilio'

export const CURSOR = 'cursor'
// The last ones from replies: cursors of different lists for any list, messages of any kind of send.
const SEEN_MAX = 50
const MESSAGE = 'message_id'
/** Made once: nothing deletes it, and once integrations are there nothing new arrives where it is. */
const LASTING: ReadonlySet<string> = new Set(['mailbox.id'])

export const idPlaceholder = (name: string): string => `\u27e6${name}\u27e7`
export const fixtureOfField = (field: string): string | undefined => FIELDS[field]

/** The name under which a path parameter is known. */
export function fixtureOfParameter(operationId: string, parameter: string): string {
  const place = `${operationId.split('.')[0]}.${parameter}`
  const fixtureName = place in fixtures ? place : parameter
  if (!fixtures[fixtureName]) throw new Error(`Add to test/support/fixtures.ts how ${place} is made`)
  return fixtureName
}

export interface KnownIds {
  /** Makes new ones of all, since requests delete and change them. */
  renew(round: number): Promise<void>
  /** Remembers the cursors and messages of a reply. */
  learn(reply: unknown): void
  /** Replaces the marks; `write` fits a value to its place. */
  fill(text: string, write: (value: string) => string): string
}

export function createKnownIds(api: ApiCaller): KnownIds {
  const values = new Map([['provider', PROVIDER]])
  const seen: Record<string, string[]> = { [CURSOR]: [], [MESSAGE]: [] }
  let turn = 0

  const next = (name: string): string => {
    turn += 1
    const ownValue = values.get(name)
    const list = seen[name] ?? []
    // Ids of fixtures and ids of replies in turn, where there are both.
    return (ownValue !== undefined && turn % 2 === 0 ? ownValue : list[turn % list.length]) ?? ownValue ?? 'unknown'
  }
  const keep = (name: string, value: unknown) => {
    const list = seen[name]
    if (typeof value !== 'string' || !list) return
    if (list.length >= SEEN_MAX) list.shift()
    list.push(value)
  }

  /** The parameters left of it in a path, by their names in the path. */
  const besides = (name: string) => {
    const [resource] = name.split('.')
    return Object.fromEntries([...values].map(([place, value]) => [place.replace(`${resource}.`, ''), value]))
  }

  return {
    async renew(round) {
      for (const [name, fixture] of Object.entries(fixtures)) {
        if (LASTING.has(name) && values.has(name)) continue
        const value = 'choice' in fixture ? fixture.choice : await made(fixture, api, `fuzz${round}`, besides(name))
        if (value !== undefined) values.set(name, value)
      }
    },
    learn(reply) {
      if (typeof reply !== 'object' || reply === null) return
      const { cursor, paging, messageId } = reply as {
        cursor?: unknown
        paging?: { cursor?: unknown }
        messageId?: unknown
      }
      keep(CURSOR, cursor ?? paging?.cursor)
      keep(MESSAGE, messageId)
    },
    fill: (text, write) => text.replaceAll(/\u27e6([\w.]+)\u27e7/g, (_, name: string) => write(next(name))),
  }
}

/** Undefined when a limit of the workspace is reached: then an older one serves. */
async function made(fixture: Fixture, api: ApiCaller, mark: string, before: Record<string, string>) {
  const once = () => fixture(api, mark, before)
  try {
    // An idle connection can be closed just as it is used again; between two rounds they are idle.
    return await once().catch((error: unknown) => (isCut(error) ? once() : Promise.reject(error)))
  } catch (error) {
    if (error instanceof Error && / 4(09|29|00) /.test(error.message)) return undefined
    throw error
  }
}

const isCut = (error: unknown) =>
  error instanceof TypeError && (error.cause as { code?: string } | undefined)?.code === 'UND_ERR_SOCKET'
