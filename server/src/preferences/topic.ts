/** A topic as stored and as served by the API. */
import { type Topic, type TopicWrite, topicDataBytesMax } from '@postrider/contract'
import { tooLarge } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import { iso } from '../base/time/timestamp.ts'
import type { TopicRow } from '../database/tables/preferences/topics.ts'
import { digestOver, storedDigest } from './topic-digest.ts'

type Settings = Pick<
  Topic,
  'routing_options' | 'allowed_preferences' | 'include_unsubscribe_header' | 'topic_data' | 'digest'
>

/** Absent fields are cleared, except the digest, which stays as in `before`. */
export function topicSettings(write: TopicWrite, before: JsonObject, now: number): Settings & JsonObject {
  const { routing_options, allowed_preferences, include_unsubscribe_header, topic_data } = write
  if (Buffer.byteLength(JSON.stringify(topic_data ?? {})) > topicDataBytesMax)
    throw tooLarge(`topic_data has at most ${topicDataBytesMax} bytes`)
  const digest = digestOver(write.digest, storedDigest(before), now)
  return {
    routing_options: routing_options ?? [],
    allowed_preferences: allowed_preferences ?? [],
    include_unsubscribe_header: include_unsubscribe_header ?? false,
    topic_data: topic_data ?? {},
    ...(digest && { digest }),
  }
}

export function topicRecord(row: TopicRow): Topic {
  const settings = row.settings as unknown as Settings
  return {
    id: row.id,
    name: row.name,
    default_status: row.defaultStatus as Topic['default_status'],
    ...settings,
    ...authorship(row),
  }
}

interface Authored {
  created: number
  creator: string
  updated: number
  updater: string
}

/** ISO 8601, unlike other resources, as clients of the public API expect. */
export function authorship({ created, creator, updated, updater }: Authored) {
  return { created: iso(created), creator, updated: iso(updated), updater }
}
