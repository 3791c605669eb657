/** Profiles of recipients. Every change compares the version that was read. */
import type { JsonObject } from '../../../base/json/json.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, statement } from '../../query.ts'
import type { TokenCipher } from '../../token-cipher.ts'
import { forgetPreferences } from '../preferences/preferences.ts'

export interface StoredProfile {
  profile: JsonObject
  version: number
}

export async function findProfile(engine: Reader, workspaceId: number, id: string): Promise<StoredProfile | undefined> {
  const found = query.selectFrom('profiles').select(['profile', 'version'])
  const row = await firstRow(engine, found.where('workspace_id', '=', workspaceId).where('id', '=', id))
  return row && { ...row, profile: engine.tokens.decrypt(workspaceId, row.profile) }
}

/** The profiles of many recipients, in their order. */
export async function findProfiles(
  engine: Engine,
  asked: readonly { workspaceId: number; id: string }[],
): Promise<(StoredProfile | undefined)[]> {
  const records = asked.map(({ workspaceId, id }, n) => ({ n, w: workspaceId, id }))
  // Subqueries, because the planner can only look them up by key, even without statistics; a join may scan the table.
  const { rows } = await engine.run<{ n: number; profile: JsonObject | null; version: number | null }>({
    text: `select r.n, (select profile from profiles p where p.workspace_id = r.w and p.id = r.id) as profile,
        (select version from profiles p where p.workspace_id = r.w and p.id = r.id) as version
      from json_to_recordset($1::json) as r(n integer, w smallint, id text)`,
    values: [JSON.stringify(records)],
    name: 'find-profiles',
  })
  const found = new Map(
    rows.map(({ n, profile, version }) => [n, profile && version ? { profile, version } : undefined]),
  )
  return asked.map(({ workspaceId }, n) => {
    const row = found.get(n)
    return row && { profile: engine.tokens.decrypt(workspaceId, row.profile), version: row.version }
  })
}

/** Writes the successor of `version` (undefined: a new profile); conflicts when another write came first. */
export function profileSave(
  tokens: TokenCipher,
  workspaceId: number,
  id: string,
  profile: JsonObject,
  version: number | undefined,
  now: number,
): Statement {
  const text = JSON.stringify(tokens.encrypt(workspaceId, profile))
  const write =
    version === undefined
      ? query
          .insertInto('profiles')
          .values({ workspace_id: workspaceId, id, profile: text, version: 1, created: now, updated: now })
          .onConflict((conflict) => conflict.doNothing())
      : query
          .updateTable('profiles')
          .set({ profile: text, version: version + 1, updated: now })
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .where('version', '=', version)
  return expectRows(statement(write))
}

/** Replaces the profile without a comparison. */
export function profileReplacement(
  tokens: TokenCipher,
  workspaceId: number,
  id: string,
  profile: JsonObject,
  now: number,
): Statement {
  const text = JSON.stringify(tokens.encrypt(workspaceId, profile))
  const insert = query
    .insertInto('profiles')
    .values({ workspace_id: workspaceId, id, profile: text, version: 1, created: now, updated: now })
  return statement(
    insert.onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'id'])
        .doUpdateSet((e) => ({ profile: text, updated: now, version: e('profiles.version', '+', 1) })),
    ),
  )
}

/** With the recipient's preferences. */
export function deleteProfile(workspaceId: number, id: string): Statement[] {
  const own = query.deleteFrom('profiles').where('workspace_id', '=', workspaceId).where('id', '=', id)
  return [statement(own), ...forgetPreferences(workspaceId, id)]
}
