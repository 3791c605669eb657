/** Names of what can be chosen, offered while a field is typed: the first hundred of each kind. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../session/api.ts'

export type NameKind = 'template' | 'automation' | 'user' | 'list' | 'topic' | 'brand' | 'event' | 'tenant'

const NAMED_MAX = 100
const page = { limit: NAMED_MAX }

const loaders: { [Kind in NameKind]: (signal: AbortSignal) => Promise<readonly string[]> } = {
  // A step names a template by its alias where it has one: that is the word of its events.
  template: async (signal) =>
    (await api.notifications.list(page, { signal })).results.map(({ id, alias }) => alias ?? id),
  automation: async (signal) => (await api.automations.templates(page, { signal })).templates.map(({ id }) => id),
  user: async (signal) => (await api.profiles.list(page, { signal })).results.map(({ id }) => id),
  list: async (signal) => (await api.lists.list({}, { signal })).items.map(({ id }) => id),
  topic: async (signal) => {
    const { results } = await api.sections.list({ signal })
    return results.flatMap(({ topics }) => topics.map(({ id }) => id))
  },
  event: async (signal) => {
    const events = (await api.events.list({ signal })).results.map(({ event }) => event)
    return [...events, ...(await loaders.template(signal))]
  },
  tenant: async (signal) => (await api.tenants.list(page, { signal })).items.map(({ id }) => id),
  brand: async (signal) => (await api.brands.list(page, { signal })).results.map(({ id }) => id),
}

export const namesQuery = (kind: NameKind) =>
  queryOptions({
    queryKey: ['names', kind],
    queryFn: async ({ signal }) => [...new Set(await loaders[kind](signal))],
    staleTime: 30_000,
  })
