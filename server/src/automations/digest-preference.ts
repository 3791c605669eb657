/** Whether a recipient wants the events of a digest: the preferences of a send about its topic decide. */
import { iso } from '../base/time/timestamp.ts'
import type { Engine } from '../database/engine.ts'
import { topicDigest } from '../database/tables/preferences/topics.ts'
import { readDigest } from '../digests/events.ts'
import { loadRecipients } from '../messages/load/load-recipients.ts'
import { resolvePreferences } from '../preferences/resolve.ts'

export interface DigestRecipient {
  workspaceId: number
  topicId: string
  recipient: string
}

/** Why nothing is to be collected; undefined when it is wanted. */
export async function digestUnwanted(
  engine: Engine,
  { workspaceId, topicId, recipient }: DigestRecipient,
  now: number,
): Promise<string | undefined> {
  const found = await topicDigest(engine, workspaceId, topicId, '', '')
  // By this name the message that tells of it is asked about.
  const event = readDigest(found?.digest)?.template_id ?? ''
  const message = { id: '', workspace_id: workspaceId, mode: 'live', first_due: now, recipient }
  const subject = { message, input: { event, recipient, topic: topicId }, pinned: undefined }
  const [known] = await loadRecipients(engine, [subject], Promise.resolve([undefined]), now)
  const { verdict, until } = resolvePreferences(known?.preferences ?? [], now)
  switch (verdict) {
    case 'wanted':
      return undefined
    case 'opted_out':
      return 'the recipient has opted out'
    case 'not_opted_in':
      return 'the recipient has not opted in'
    case 'snoozed':
      return `the recipient wants none before ${until === undefined ? 'later' : iso(until)}`
  }
}
