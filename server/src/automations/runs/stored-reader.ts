/** Reads stored data for runs, in production and in simulations. */
import type { JsonObject } from '../../base/json/json.ts'
import { iso } from '../../base/time/clock.ts'
import type { Reader } from '../../database/engine.ts'
import { automationNamed } from '../../database/tables/automations/automation-templates.ts'
import { listRecipients } from '../../database/tables/lists/lists.ts'
import { topicDigest } from '../../database/tables/preferences/topics.ts'
import { findProfile } from '../../database/tables/users/users.ts'
import { digestProblem, readDigest } from '../../digests/events.ts'
import { storedProfileOf } from '../../messages/decide/profile.ts'
import { loadRecipients, loadTenants } from '../../messages/load/recipients.ts'
import { resolvePreferences } from '../../preferences/precedence.ts'
import type { Target } from '../../recipients/read-recipients.ts'
import { type Lists, type Place, recipientsAfter, type SourcePage, storedLists } from '../../recipients/sources.ts'
import type { DigestRecipient, RunStore, StoredProfile } from '../run-store.ts'

export interface StoredReader extends Pick<RunStore, 'template' | 'subscribers' | 'digestProblem'> {
  /** As in `RunStore`; `suppliedProfile` replaces the stored profile. */
  profile(
    ...request: [...Parameters<RunStore['profile']>, suppliedProfile?: JsonObject]
  ): ReturnType<RunStore['profile']>

  digestOptOut(digest: DigestRecipient, now: number): Promise<string | undefined>
  /** The digest of a topic and the schedule the recipient chose; undefined if there is no such topic. */
  topicDigest(workspaceId: number, topicId: string, recipient: string): ReturnType<typeof topicDigest>
  lists(workspaceId: number): Lists
  /** A page of the recipients of a send, with these lists instead of the stored ones. */
  recipientsAfter(workspaceId: number, lists: Lists, ...page: Page): Promise<SourcePage>
}

type Page = [target: Target, after: Place, limit: number]

export function createStoredReader(engine: Reader): StoredReader {
  return {
    async profile(workspaceId, recipient, tenantId, suppliedProfile) {
      const profile = suppliedProfile
        ? Promise.resolve({ profile: suppliedProfile })
        : findProfile(engine, workspaceId, recipient)
      return tenantId === undefined ? profile : profileIn(engine, workspaceId, recipient, tenantId, profile)
    },
    async template(workspaceId, name) {
      const row = await automationNamed(engine, workspaceId, name)
      return row && { id: row.id, automation: (JSON.parse(row.template) as { automation: JsonObject }).automation }
    },
    async subscribers(workspaceId, listId, after, limit) {
      const rows = await listRecipients(engine, workspaceId, [listId], after, limit)
      return rows.map(({ recipient }) => recipient)
    },
    digestOptOut: (digest, now) => digestOptOut(engine, digest, now),
    topicDigest: (workspaceId, topicId, recipient) => topicDigest(engine, workspaceId, topicId, recipient, ''),
    lists: (workspaceId) => storedLists(engine, workspaceId),
    recipientsAfter: (workspaceId, lists, ...page) =>
      recipientsAfter({ engine, workspaceId, requestId: '', lists }, ...page),
    digestProblem: (workspaceId, topicId, data) => digestProblem(engine, { workspaceId, topicId, data }),
  }
}

async function profileIn(
  engine: Reader,
  workspaceId: number,
  recipient: string,
  tenantId: string,
  profileRequest: Promise<StoredProfile | undefined>,
) {
  const message = { id: '', workspace_id: workspaceId, mode: 'live', first_due: 0, recipient }
  const loadRequest = { message, input: { event: '', recipient, tenantId }, snapshot: undefined }
  const [storedProfile, [tenant]] = await Promise.all([profileRequest, loadTenants(engine, [loadRequest])])
  const profile = storedProfileOf({ storedProfile: storedProfile?.profile, ...(tenant && { tenant }) })
  return profile && { profile }
}

/** The preferences of a send about the topic decide. Undefined if they allow the digest. */
async function digestOptOut(
  engine: Reader,
  { workspaceId, topicId, recipient }: DigestRecipient,
  now: number,
): Promise<string | undefined> {
  const digest = await topicDigest(engine, workspaceId, topicId, '', '')
  // Preferences by notification apply to the template of the digest.
  const event = readDigest(digest?.digest)?.template_id ?? ''
  const message = { id: '', workspace_id: workspaceId, mode: 'live', first_due: now, recipient }
  const loadRequest = { message, input: { event, recipient, topic: topicId }, snapshot: undefined }
  const [facts] = await loadRecipients(engine, [loadRequest], Promise.resolve([undefined]), now)
  const { verdict, until } = resolvePreferences(facts?.preferences ?? [], now)
  switch (verdict) {
    case 'allowed':
      return undefined
    case 'opted_out':
      return 'the recipient has opted out'
    case 'not_opted_in':
      return 'the recipient has not opted in'
    case 'snoozed':
      return `the recipient snoozed it until ${until === undefined ? 'later' : iso(until)}`
  }
}
