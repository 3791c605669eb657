/** Every column that holds encrypted text, and how it is encrypted anew: whoever changes the secret key goes through this list. */
import { decrypt, encrypt, type SecretKey } from '../base/secret.ts'
import { ENCRYPTED_TOKEN, TOKEN_MARK, tokenContext } from './token-cipher.ts'

export interface EncryptedColumn {
  table: string
  /** The columns that name a row; `context` reads them. */
  key: readonly string[]
  column: string
  /** The cast with which a new text is written back. */
  type: 'text' | 'jsonb'
  /** `whole`: the column is one encrypted text or null. `tokens`: encrypted values inside a JSON text. */
  holds: 'whole' | 'tokens'
  /** What the encrypted text is bound to. */
  context(row: Readonly<Record<string, unknown>>): string
}

/** What texts are bound to: a text that was copied into another row or workspace cannot be read there. */
export const encryptionContext = {
  integration: ({ workspaceId, id }: { workspaceId: number; id: string }) => `integration:${workspaceId}:${id}`,
  webhook: ({ workspaceId, id }: { workspaceId: number; id: string }) => `webhook:${workspaceId}:${id}`,
  reply: ({ workspaceId, route, key }: { workspaceId: number; route: string; key: string }) =>
    `reply:${workspaceId}:${route}:${key}`,
  token: tokenContext,
}

const tokens = (table: string, key: readonly string[], column: string, type: 'text' | 'jsonb' = 'text') =>
  ({
    table,
    key,
    column,
    type,
    holds: 'tokens',
    context: ({ workspace_id }) => encryptionContext.token(Number(workspace_id)),
  }) satisfies EncryptedColumn

const ofId = (row: Readonly<Record<string, unknown>>) => ({ workspaceId: Number(row.workspace_id), id: String(row.id) })

/** `workspace_id` is in every row. Partitioned tables and views stand for all of their parts. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  {
    table: 'integrations',
    key: ['workspace_id', 'id'],
    column: 'secrets',
    type: 'text',
    holds: 'whole',
    context: (row) => encryptionContext.integration(ofId(row)),
  },
  {
    table: 'webhooks',
    key: ['workspace_id', 'id'],
    column: 'secret',
    type: 'text',
    holds: 'whole',
    context: (row) => encryptionContext.webhook(ofId(row)),
  },
  {
    table: 'idempotency_keys',
    key: ['workspace_id', 'route', 'key'],
    column: 'reply',
    type: 'text',
    holds: 'whole',
    context: ({ workspace_id, route, key }) =>
      encryptionContext.reply({ workspaceId: Number(workspace_id), route: String(route), key: String(key) }),
  },
  tokens('profiles', ['workspace_id', 'id'], 'profile', 'jsonb'),
  tokens('tenants', ['workspace_id', 'id'], 'user_profile', 'jsonb'),
  tokens('tenant_members', ['workspace_id', 'tenant_id', 'user_id'], 'profile', 'jsonb'),
  tokens('messages', ['id'], 'input'),
  tokens('messages', ['id'], 'pinned'),
  tokens('requests', ['id'], 'input'),
  tokens('requests', ['id'], 'targets'),
  tokens('bulk_users', ['job_id', 'position'], 'input'),
  tokens('bulk_users', ['job_id', 'position'], 'given'),
  tokens('automation_versions', ['workspace_id', 'template_id', 'version'], 'template'),
  tokens('runs', ['id'], 'automation'),
  tokens('runs', ['id'], 'start'),
  tokens('runs', ['id'], 'state'),
]

/** For `where`: rows that can hold something encrypted. */
export const mayBeEncrypted = ({ column, holds }: EncryptedColumn): string =>
  holds === 'whole' ? `${column} is not null` : `${column}::text like '%${TOKEN_MARK}%'`

/**
 * The column's text under the key `to`; undefined when it is under that key already. Throws when a text can be read
 * with neither of them.
 */
export function encryptedAnew(
  column: EncryptedColumn,
  row: Readonly<Record<string, unknown>>,
  text: string,
  from: SecretKey,
  to: SecretKey,
): string | undefined {
  const context = column.context(row)
  const anew = (sealed: string) => (isUnder(to, sealed) ? sealed : encrypt(to, decrypt(from, sealed, context), context))
  const after =
    column.holds === 'whole'
      ? anew(text)
      : text.replace(ENCRYPTED_TOKEN, (_all, sealed: string) => `enc:${anew(sealed)}`)
  return after === text ? undefined : after
}

const isUnder = ({ id }: SecretKey, sealed: string) => sealed.split('.')[1] === id
