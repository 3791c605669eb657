/** Every column that holds encrypted text, and how a rotation of the secret key re-encrypts it. */
import { decrypt, encrypt, type SecretKey } from '../base/secret.ts'
import { tokenContext } from './token-cipher.ts'

export interface EncryptedTable {
  table: string
  /** The columns that identify a row; `context` reads them. */
  key: readonly string[]
  columns: readonly string[]
  /** The cast with which the new text is written. */
  type: 'text' | 'jsonb'
  /** `whole`: a column is one encrypted text or null. `tokens`: encrypted values inside a JSON text. */
  holds: 'whole' | 'tokens'
  /** The associated data to which the encrypted text is bound. */
  context(row: Readonly<Record<string, unknown>>): string
  /** The API's plural for its rows; without its `s` the singular. */
  content: string
  /** A column that identifies the row to people; absent where rows are only counted. */
  title?: string
}

/** Associated data: encrypted text that is copied into another row or workspace cannot be decrypted there. */
export const encryptionContext = {
  integration: ({ workspaceId, id }: { workspaceId: number; id: string }) => `integration:${workspaceId}:${id}`,
  webhook: ({ workspaceId, id }: { workspaceId: number; id: string }) => `webhook:${workspaceId}:${id}`,
  reply: ({ workspaceId, route, key }: { workspaceId: number; route: string; key: string }) =>
    `reply:${workspaceId}:${route}:${key}`,
  token: tokenContext,
}

const tokens = (
  content: string,
  table: string,
  key: readonly string[],
  columns: readonly string[],
  type: 'text' | 'jsonb' = 'text',
) =>
  ({
    table,
    key,
    columns,
    type,
    holds: 'tokens',
    context: ({ workspace_id }) => encryptionContext.token(Number(workspace_id)),
    content,
  }) satisfies EncryptedTable

const ofId = (row: Readonly<Record<string, unknown>>) => ({ workspaceId: Number(row.workspace_id), id: String(row.id) })

/** Every row has a `workspace_id`. A partitioned table or view includes all of its partitions. */
export const encryptedTables: readonly EncryptedTable[] = [
  {
    table: 'integrations',
    key: ['workspace_id', 'id'],
    columns: ['secrets'],
    type: 'text',
    holds: 'whole',
    context: (row) => encryptionContext.integration(ofId(row)),
    content: 'integrations',
    title: 'title',
  },
  {
    table: 'webhooks',
    key: ['workspace_id', 'id'],
    columns: ['secret'],
    type: 'text',
    holds: 'whole',
    context: (row) => encryptionContext.webhook(ofId(row)),
    content: 'webhooks',
    title: 'url',
  },
  {
    table: 'idempotency_keys',
    key: ['workspace_id', 'route', 'key'],
    columns: ['reply'],
    type: 'text',
    holds: 'whole',
    context: ({ workspace_id, route, key }) =>
      encryptionContext.reply({ workspaceId: Number(workspace_id), route: String(route), key: String(key) }),
    content: 'idempotency keys',
  },
  tokens('profiles', 'profiles', ['workspace_id', 'id'], ['profile'], 'jsonb'),
  tokens('tenants', 'tenants', ['workspace_id', 'id'], ['user_profile'], 'jsonb'),
  tokens('memberships', 'tenant_members', ['workspace_id', 'tenant_id', 'user_id'], ['profile'], 'jsonb'),
  tokens('messages', 'messages', ['id'], ['input', 'pinned']),
  tokens('deferred mails', 'deferred_copies', ['message_id', 'n'], ['override']),
  tokens('requests', 'requests', ['id'], ['input', 'targets']),
  tokens('bulk users', 'bulk_users', ['job_id', 'position'], ['input', 'given']),
  tokens('automation versions', 'automation_versions', ['workspace_id', 'template_id', 'version'], ['template']),
  tokens('automation runs', 'runs', ['id'], ['automation', 'start', 'state']),
]

/** Re-encrypts the values of the key `from` in a text; undefined when it has none. Unreadable values stay as they are. */
export function reencryptedText(
  { context }: EncryptedTable,
  row: Readonly<Record<string, unknown>>,
  text: string,
  from: SecretKey,
  to: SecretKey,
): string | undefined {
  const after = text.replace(encryptedWith(from), (value) => {
    const plain = decryptable(from, value, context(row))
    return plain === undefined ? value : encrypt(to, plain, context(row))
  })
  return after === text ? undefined : after
}

/** Matches a value of the key anywhere in a text: prefix, nonce, tag and ciphertext. */
const encryptedWith = ({ id }: SecretKey) => new RegExp(`v1\\.${id}(?:\\.[\\w-]+){2}\\.[\\w-]*`, 'g')

function decryptable(key: SecretKey, value: string, context: string): string | undefined {
  try {
    return decrypt(key, value, context)
  } catch {
    return undefined
  }
}
