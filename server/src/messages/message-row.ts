/** A message as a new row: due now or later, waiting for a claim, its tokens encrypted. */
import { addressDigests } from '../database/tables/messages/addresses.ts'
import type { MarkColumns, NewMessage } from '../database/tables/messages/live-messages.ts'
import type { TokenCipher } from '../database/token-cipher.ts'
import { namedAddresses } from '../providers/address.ts'
import type { Marks, OwnInput, SharedInput } from './send.ts'

export interface NewMessageInput {
  id: string
  workspaceId: number
  lane: number
  mode: string
  event: string
  recipient: string
  /** JSON; only the own part where a request holds the rest. */
  input: string
  /** Digests: the message is found by them. */
  addresses?: number[] | undefined
  marks?: Marks | undefined
  /** Nothing is sent before this time. */
  notBefore?: number | undefined
}

export function newMessage(draft: NewMessageInput, now: number): NewMessage {
  const { id, workspaceId, lane, mode, event, recipient, input, addresses, marks, notBefore = now } = draft
  const due = Math.max(now, notBefore)
  // Field by field: a copy of the draft with more fields costs several µs on Node 20 (base/perf/copy-with.ts).
  const row: NewMessage = {
    id,
    workspace_id: workspaceId,
    lane,
    due_at: due,
    lease: null,
    claims: 0,
    status: due > now ? 'DELAYED' : 'ENQUEUED',
    event,
    recipient,
    mode,
    enqueued: now,
    first_due: due,
    input,
  }
  if (addresses) row.addresses = addresses
  return marks ? Object.assign(row, columnsOf(marks)) : row
}

function columnsOf(marks: Marks): MarkColumns {
  return {
    ...(marks.tags && { tags: marks.tags }),
    ...(marks.traceId !== undefined && { trace_id: marks.traceId }),
    ...(marks.tenantId !== undefined && { tenant_id: marks.tenantId }),
    ...(marks.requestId !== undefined && { request_id: marks.requestId }),
    ...(marks.listId !== undefined && { list_id: marks.listId }),
    ...(marks.listMessageId !== undefined && { list_message_id: marks.listMessageId }),
    ...(marks.runId !== undefined && { run_id: marks.runId }),
    ...(marks.jobId !== undefined && { job_id: marks.jobId }),
  }
}

/** The addresses that the input itself names; undefined without any. */
export function inputAddresses(
  tokens: TokenCipher,
  workspaceId: number,
  { profile }: Pick<OwnInput, 'profile'>,
): number[] | undefined {
  const addresses = profile && namedAddresses(profile)
  return addresses && addresses.length > 0 ? addressDigests(tokens, workspaceId, addresses) : undefined
}

/** JSON text. */
export function inputText(tokens: TokenCipher, workspaceId: number, input: Partial<OwnInput & SharedInput>): string {
  const { profile, override } = input
  const sealedProfile = profile && tokens.encrypt(workspaceId, profile)
  const sealedOverride = override && tokens.encryptOverride(workspaceId, override)
  // Most messages hold no token: they are not copied.
  if (sealedProfile === profile && sealedOverride === override) return JSON.stringify(input)
  return JSON.stringify({
    ...input,
    ...(sealedProfile && { profile: sealedProfile }),
    ...(sealedOverride && { override: sealedOverride }),
  })
}
