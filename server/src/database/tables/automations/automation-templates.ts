/** Automations kept by name: versions that never change, and which of them is in force. */
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, rows, statement } from '../../query.ts'
import type { TokenCipher } from '../../token-cipher.ts'

export interface TemplateSave {
  workspaceId: number
  id: string
  alias: string | null
  name: string
  /** JSON text, as given. */
  template: string
  now: number
}

const current = (workspaceId: number) =>
  query
    .selectFrom('automation_templates as t')
    .innerJoin('automation_versions as v', (join) =>
      join
        .onRef('v.workspace_id', '=', 't.workspace_id')
        .onRef('v.template_id', '=', 't.id')
        .onRef('v.version', '=', 't.version'),
    )
    .select(['t.id', 't.alias', 't.name', 't.version', 't.created', 't.updated', 'v.template'])
    .where('t.workspace_id', '=', workspaceId)

export type AutomationTemplateRow = NonNullable<Awaited<ReturnType<typeof findAutomation>>>

export async function findAutomation(engine: Reader, workspaceId: number, id: string) {
  const row = await firstRow(engine, current(workspaceId).where('t.id', '=', id))
  return row && readable(engine, workspaceId, row)
}

/** With the template as it was written. */
function readable<Row extends { template: string }>({ tokens }: Reader, workspaceId: number, row: Row): Row {
  return { ...row, template: tokens.decryptText(workspaceId, row.template) }
}

/** An id goes before an alias. */
export async function automationNamed(engine: Reader, workspaceId: number, name: string) {
  const found = await rows(
    engine,
    current(workspaceId)
      .where((e) => e.or([e('t.id', '=', name), e('t.alias', '=', name)]))
      .limit(2),
  )
  const row = found.find(({ id }) => id === name) ?? found[0]
  return row && readable(engine, workspaceId, row)
}

/** By id. */
export async function listAutomations(
  engine: Reader,
  workspaceId: number,
  cursor: string | undefined,
  limit: number,
): Promise<Page<AutomationTemplateRow>> {
  let found = current(workspaceId)
  if (cursor !== undefined) found = found.where('t.id', '>', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, found.orderBy('t.id').limit(limit + 1)), limit, ({ id }) => [id])
}

/** Newest first. */
export async function automationVersions(
  engine: Reader,
  workspaceId: number,
  id: string,
  cursor: string | undefined,
  limit: number,
): Promise<Page<{ version: number; created: number; template: string }>> {
  let found = query
    .selectFrom('automation_versions')
    .select(['version', 'created', 'template'])
    .where('workspace_id', '=', workspaceId)
    .where('template_id', '=', id)
  if (cursor !== undefined) found = found.where('version', '<', decodeCursor(cursor, ['number'])[0])
  const newest = found.orderBy('version', 'desc').limit(limit + 1)
  const versions = (await rows(engine, newest)).map((row) => readable(engine, workspaceId, row))
  return pageOf(versions, limit, ({ version }) => [version])
}

/** The first version, or the one after `version`: it touches nothing when another write came first. */
export function automationSave(
  tokens: TokenCipher,
  { workspaceId, id, alias, name, template, now }: TemplateSave,
  version: number | undefined,
): Statement {
  const encrypted = JSON.stringify(tokens.encryptAutomation(workspaceId, JSON.parse(template)))
  const values = [workspaceId, id, alias, name, now, encrypted]
  const save =
    version === undefined
      ? `insert into automation_templates (workspace_id, id, alias, name, version, created, updated)
         values ($1::smallint, $2::text, $3::text, $4::text, 1, $5::bigint, $5::bigint)
         on conflict (workspace_id, id) do nothing returning version`
      : `update automation_templates set alias = $3, name = $4, version = version + 1, updated = $5
         where workspace_id = $1 and id = $2 and version = $7 returning version`
  return expectRows({
    text: `with saved as (${save})
      insert into automation_versions (workspace_id, template_id, version, template, created)
      select $1::smallint, $2::text, version, $6::text, $5::bigint from saved`,
    values: version === undefined ? values : [...values, version],
  })
}

/** Must affect a row; affects none when there was none. Its runs go on: each holds what it was started with. */
export function deleteAutomation(workspaceId: number, id: string): Statement[] {
  const gone = query.deleteFrom('automation_templates').where('workspace_id', '=', workspaceId).where('id', '=', id)
  return [expectRows(statement(gone))]
}
