/** Whether the addresses of a user are suppressed, and why. */
import { useQuery } from '@tanstack/react-query'
import { texts, useTexts } from '../../language/language.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import { peopleTexts } from '../people-texts.ts'
import { SuppressionTable } from '../suppressions/suppression-table.tsx'
import type { UserProps } from './user-profile.tsx'

/** Devices whose tokens are looked up; the newest come first. */
const DEVICES_MAX = 10

const userSuppressionTexts = texts({
  en: {
    title: 'Suppressed addresses',
    empty: 'No address of this user is suppressed',
    emptyText: (addresses: string) => `Looked up: ${addresses}.`,
    none: 'The profile has no address, and the user has no device.',
  },
  de: {
    title: 'Gesperrte Adressen',
    empty: 'Keine Adresse dieses Nutzers ist gesperrt',
    emptyText: (addresses: string) => `Nachgesehen: ${addresses}.`,
    none: 'Das Profil hat keine Adresse, der Nutzer kein Gerät.',
  },
})

export function UserSuppressions({ userId, profile }: UserProps) {
  const labels = useTexts(userSuppressionTexts)
  const people = useTexts(peopleTexts)
  const { seesPersonalData } = usePermissions()
  const profileAddresses = [profile?.email, profile?.phone_number].filter(
    (value) => typeof value === 'string' && value !== '',
  )
  const query = useQuery({
    queryKey: ['suppressions', 'user', userId, profileAddresses],
    enabled: seesPersonalData,
    queryFn: async ({ signal }) => {
      const { tokens } = await api.deviceTokens.list(userId, { signal })
      const lookups = [
        ...profileAddresses.map((address) => ({ address: String(address) })),
        // A token has no form by which the server could tell its kind.
        ...tokens.slice(0, DEVICES_MAX).map(({ token }) => ({ address: token, kind: 'device_token' as const })),
      ]
      const pages = await Promise.all(lookups.map((lookup) => api.suppressions.list(lookup, { signal })))
      const addresses = lookups.map(({ address }) => address)
      return { addresses, suppressions: pages.flatMap(({ results }) => results) }
    },
  })
  if (!seesPersonalData) return <Empty title={labels.title}>{people.noData}</Empty>
  if (query.isPending) return <Loading />
  if (!query.data) return <Failed error={query.error} retry={query.refetch} />
  const { addresses, suppressions } = query.data
  if (suppressions.length === 0)
    return (
      <Empty title={labels.empty}>{addresses.length > 0 ? labels.emptyText(addresses.join(', ')) : labels.none}</Empty>
    )
  return <SuppressionTable label={labels.title} rows={suppressions} />
}
