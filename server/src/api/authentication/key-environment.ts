/** The environments and their workspaces; a key's beginning names one of each. */
import { type KeyEnvironment, type KeyKind, keyEnvironments, keyKinds, keyPrefixes } from '@postrider/contract'

/** The rows that the first start makes. */
export const workspaceOf: Record<KeyEnvironment, number> = { production: 1, test: 2 }

export const environmentOf = (workspaceId: number): KeyEnvironment =>
  keyEnvironments.find((environment) => workspaceOf[environment] === workspaceId) ?? 'production'

/** What a key's beginning says; a published key of production where it says nothing. */
export function scopeOf(key: string): { workspaceId: number; kind: KeyKind; environment: KeyEnvironment } {
  for (const kind of keyKinds)
    for (const environment of keyEnvironments)
      if (key.startsWith(keyPrefixes[kind][environment]))
        return { kind, environment, workspaceId: workspaceOf[environment] }
  const kind = key.startsWith('mk_') ? 'mock' : key.startsWith('dk_') ? 'draft' : 'published'
  return { kind, environment: 'production', workspaceId: workspaceOf.production }
}
