/** Links for recipients in messages: unsubscribing and the page of preferences, signed, without a sign-in and without an end. */
import type { SecretKey } from '../base/secret.ts'
import { readLink, signLink } from '../base/signed-link.ts'

/** `unsubscribe` is about the topic of a message, `preferences` about all topics. */
export type RecipientLinkKind = 'unsubscribe' | 'preferences'

/** The recipient, topic and message that a link names. */
export interface LinkedMessage {
  workspaceId: number
  userId: string
  /** Empty: outside any tenant. */
  tenantId: string
  /** Empty: the message has no topic. */
  topicId: string
  messageId: string
}

/** Below the public address; links in messages that begin so lead to this server and are never rewritten. */
const recipientPaths = { unsubscribe: '/u/', preferences: '/p/' } as const satisfies Record<RecipientLinkKind, string>

/** Stands for the token in previews: its page shows that it changes nothing. */
export const SAMPLE = 'sample'

/** The same text with samples: for readers who must not act for the recipient. */
export const withSampleLinks = (text: string): string => text.replace(/(\/[up]\/)[\w.~-]{16,}/g, `$1${SAMPLE}`)

/** Makes the links of one server; a message that is only previewed has samples. */
export type RecipientLinks = (kind: RecipientLinkKind, message: LinkedMessage) => string

export const recipientLinks =
  (key: SecretKey, publicUrl: string): RecipientLinks =>
  (kind, { workspaceId, userId, tenantId, topicId, messageId }) => {
    const parts = [String(workspaceId), userId, tenantId, topicId, messageId]
    return `${publicUrl}${recipientPaths[kind]}${messageId === '' ? SAMPLE : signLink(key, kind, parts)}`
  }

/** Undefined for a token that this installation did not give out for this kind. */
export function readRecipientLink(key: SecretKey, kind: RecipientLinkKind, token: string): LinkedMessage | undefined {
  const [workspace, userId, tenantId, topicId, messageId] = readLink(key, kind, token) ?? []
  if (userId === undefined || tenantId === undefined || topicId === undefined || messageId === undefined)
    return undefined
  return { workspaceId: Number(workspace), userId, tenantId, topicId, messageId }
}

/** A line of a mail has 998 characters at most (RFC 5322 §2.1.1); an address has no place to fold it. */
const HEADER_URL_MAX = 900

/** RFC 2369, and for an address that mail services call RFC 8058; none where the address does not fit into a line. */
export function unsubscribeHeaders(url: string): Record<string, string> {
  if (url.length > HEADER_URL_MAX) return {}
  return {
    'List-Unsubscribe': `<${url}>`,
    ...(url.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
  }
}
