/** The providers that a workspace has used. */
import type { Reader, Statement } from '../../engine.ts'

export interface ProviderUse {
  workspace_id: number
  provider: string
}

/** Existing rows are not changed. */
export const providersUse = (uses: readonly ProviderUse[]): Statement => ({
  text: `insert into providers_used (workspace_id, provider)
    select workspace_id, provider from json_to_recordset($1::json) as r(workspace_id smallint, provider text)
    order by 1, 2 on conflict do nothing`,
  values: [JSON.stringify(uses)],
})

/** Those of the providers that were used. */
export async function usedAmong(
  engine: Reader,
  workspaceId: number,
  providers: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await engine.run<{ provider: string }>({
    text: `select provider from providers_used
      where workspace_id = $1 and provider in (select json_array_elements_text($2::json))`,
    values: [workspaceId, JSON.stringify(providers)],
    name: 'providers-used-among',
  })
  return rows.map(({ provider }) => provider)
}
