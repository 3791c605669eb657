/** The action of a push for each definition, decided from a comparison alone. */
import type { Postrider } from '@postrider/client'
import type { Compared } from './compare.ts'
import { type DefinitionKind, inParallel } from './definition.ts'

export interface PushOptions {
  dir: string
  names: readonly string[]
  yes: boolean
  dryRun: boolean
  delete: boolean
  overwrite: boolean
  /** A folder as it was when it was pushed last. */
  base?: string
  publish?: boolean
}

export type PushAction = 'create' | 'update' | 'remove' | 'publish' | 'none' | 'refuse'

export interface PlannedPush extends Compared {
  action: PushAction
  /** For one that is stored already. */
  finish?: () => Promise<void>
  warnings: readonly string[]
}

export async function planOf(
  client: Postrider,
  kind: DefinitionKind<PushOptions>,
  compared: readonly Compared[],
  options: PushOptions,
): Promise<PlannedPush[]> {
  return inParallel(compared, async (each) => {
    const { server } = each
    const action = actionOf(each, options)
    const finish = each.difference === 'same' && server ? await kind.finish?.(client, server, options) : undefined
    return finish ? { ...each, action: 'publish', finish, warnings: [] } : { ...each, action, warnings: [] }
  })
}

function actionOf({ difference, changedSince }: Compared, { overwrite, delete: removes }: PushOptions): PushAction {
  switch (difference) {
    case 'same':
      return 'none'
    case 'only_here':
      return 'create'
    case 'changed_here':
      return 'update'
    case 'changed_on_server':
      return overwrite ? 'update' : 'none'
    case 'changed_on_both':
      return overwrite ? 'update' : 'refuse'
    case 'gone_from_server':
      return overwrite ? 'create' : changedSince ? 'refuse' : 'none'
    case 'only_on_server':
      return removes ? (overwrite ? 'remove' : 'refuse') : 'none'
    case 'gone_from_here':
      return removes ? (changedSince && !overwrite ? 'refuse' : 'remove') : 'none'
  }
}
