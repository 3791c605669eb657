/** Every column that holds encrypted text, and how it is encrypted anew: a rotation of the secret key goes through this list. */
import { decrypt, encrypt, type SecretKey } from '../base/secret.ts'
import { tokenContext } from './token-cipher.ts'

export interface EncryptedTable {
  table: string
  /** The columns that name a row; `context` reads them. */
  key: readonly string[]
  columns: readonly string[]
  /** The cast with which a new text is written back. */
  type: 'text' | 'jsonb'
  /** `whole`: a column is one encrypted text or null. `tokens`: encrypted values inside a JSON text. */
  holds: 'whole' | 'tokens'
  /** The encrypted text is bound to it. */
  context(row: Readonly<Record<string, unknown>>): string
  /** The API's plural for its rows, which loses its `s` for a single one. */
  content: string
  /** A column that tells people which row it is; absent where rows are only counted. */
  title?: string
}

/** A text is bound to one of these: one that was copied into another row or workspace cannot be read there. */
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

/** `workspace_id` is in every row. Partitioned tables and views stand for all of their parts. */
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
  tokens('requests', 'requests', ['id'], ['input', 'targets']),
  tokens('bulk users', 'bulk_users', ['job_id', 'position'], ['input', 'given']),
  tokens('automation versions', 'automation_versions', ['workspace_id', 'template_id', 'version'], ['template']),
  tokens('automation runs', 'runs', ['id'], ['automation', 'start', 'state']),
]

/**
 * The text of a column with every value of the key `from` under the key `to`; undefined when it has none. A value that
 * cannot be decrypted stays as it is: it was unreadable before.
 */
export function encryptedAnew(
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

/** A value of the key wherever it stands: prefix, nonce, tag and text. */
const encryptedWith = ({ id }: SecretKey) => new RegExp(`v1\\.${id}(?:\\.[\\w-]+){2}\\.[\\w-]*`, 'g')

function decryptable(key: SecretKey, value: string, context: string): string | undefined {
  try {
    return decrypt(key, value, context)
  } catch {
    return undefined
  }
}
