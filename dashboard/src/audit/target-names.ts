/** Names of changed records by kind and id, as far as the newest of each kind are known. */
import { useQuery } from '@tanstack/react-query'
import { useTemplateNames } from '../names/template-names.ts'
import { api } from '../session/api.ts'

const NAMED_MAX = 100

/** By the type and the target of a change. */
export function useTargetNames(): (type: string, target: string) => string | undefined {
  const templates = useTemplateNames()
  const { data: others } = useQuery({
    queryKey: ['audit', 'names'],
    queryFn: async ({ signal }) => {
      const [integrations, keys, brands] = await Promise.all([
        api.providers.list({ limit: NAMED_MAX }, { signal }),
        api.keys.list({ signal }),
        api.brands.list({ limit: NAMED_MAX }, { signal }),
      ])
      const named = ({ id, name }: { id: string; name?: string }) => [id, name] as const
      return {
        integration: new Map<string, string>(integrations.results.map(({ id, title }) => [id, title])),
        key: new Map<string, string | undefined>(keys.results.map(named)),
        brand: new Map<string, string | undefined>(brands.results.map(named)),
      }
    },
    staleTime: 60_000,
  })
  return (type, target): string | undefined => {
    const [kind = ''] = type.split(':')
    if (kind === 'notification') return templates.get(target)
    return others && Object.hasOwn(others, kind) ? others[kind as keyof typeof others].get(target) : undefined
  }
}
