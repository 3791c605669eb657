/** Divides rows into calls: as many as one takes, of a size that a body can have. */
import type { Row } from './read.ts'

/** Half of what a body may hold, so that names and quotes have room. */
const BODY_BYTES_MAX = 3_000_000
/** A body has at most 120,000 members; each row brings a few of its own. */
const MEMBERS_MAX = 60_000

/** `bodyOf`: the part of the body that an entry becomes. */
export function* byBody<Entry extends { row: Row }>(
  entries: readonly Entry[],
  rowsMax: number,
  bodyOf: (entry: Entry) => unknown,
): Generator<Entry[]> {
  let part: Entry[] = []
  let bytes = 0
  let members = 0
  for (const entry of entries) {
    const entryBytes = Buffer.byteLength(JSON.stringify(bodyOf(entry)))
    const entryMembers = entry.row.values.length + 5
    const isFull =
      part.length === rowsMax || bytes + entryBytes > BODY_BYTES_MAX || members + entryMembers > MEMBERS_MAX
    if (part.length > 0 && isFull) {
      yield part
      part = []
      bytes = 0
      members = 0
    }
    part.push(entry)
    bytes += entryBytes
    members += entryMembers
  }
  if (part.length > 0) yield part
}
