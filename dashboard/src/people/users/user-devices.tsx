/** The devices of a user that get pushes, with their state. */
import { Button } from '@mantine/core'
import type { DeviceToken } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useAction } from '../../parts/confirm.tsx'
import { CopyableId } from '../../parts/copyable.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Tag, type Tone } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table/table.tsx'
import { Time } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import { peopleTexts } from '../people-texts.ts'
import type { UserProps } from './user-profile.tsx'

const devicesTexts = texts({
  en: {
    title: 'Devices',
    device: 'Device',
    token: 'Token',
    expires: 'Expires',
    empty: 'No devices',
    emptyText: 'An app registers its device by PUT /users/:user_id/tokens/:token.',
    removed: 'The device is removed',
    active: 'Active',
    unknown: 'Unknown',
    failed: 'Failed',
    revoked: 'Revoked',
  },
  de: {
    title: 'Geräte',
    device: 'Gerät',
    token: 'Token',
    expires: 'Läuft ab',
    empty: 'Keine Geräte',
    emptyText: 'Eine App meldet ihr Gerät an mit PUT /users/:user_id/tokens/:token.',
    removed: 'Das Gerät ist entfernt',
    active: 'Aktiv',
    unknown: 'Unbekannt',
    failed: 'Gescheitert',
    revoked: 'Widerrufen',
  },
})

const tones: Record<DeviceToken['status'], Tone> = {
  active: 'good',
  unknown: 'quiet',
  failed: 'bad',
  revoked: 'warn',
}

const nameOf = ({ device, provider_key }: DeviceToken) =>
  [device?.manufacturer, device?.model ?? device?.platform].filter(Boolean).join(' ') || provider_key

export function UserDevices({ userId }: UserProps) {
  const t = useTexts(words)
  const labels = useTexts(devicesTexts)
  const people = useTexts(peopleTexts)
  const { canOperate } = usePermissions()
  const query = useQuery({
    queryKey: ['devices', userId],
    queryFn: async ({ signal }) => (await api.deviceTokens.list(userId, { signal })).tokens,
  })
  const remove = useAction({
    act: ({ token }: DeviceToken) => api.deviceTokens.delete(userId, token),
    done: labels.removed,
    undo: (_, { token, ...rest }) =>
      api.deviceTokens.put(userId, token, { ...rest, status_reason: rest.status_reason ?? null }),
    changes: [['devices', userId]],
  })
  if (query.isPending) return <Loading />
  if (!query.data) return <Failed error={query.error} retry={query.refetch} />
  if (query.data.length === 0) return <Empty title={labels.empty}>{labels.emptyText}</Empty>
  const columns: Column<DeviceToken>[] = [
    { key: 'device', title: labels.device, cell: nameOf },
    { key: 'provider', title: t.provider, width: '130px', cell: ({ provider_key }) => provider_key },
    {
      key: 'status',
      title: t.status,
      cell: ({ status, status_reason }) => (
        <>
          <Tag tone={tones[status]}>{labels[status]}</Tag> {status_reason}
        </>
      ),
    },
    { key: 'token', title: labels.token, wideOnly: true, cell: ({ token }) => <CopyableId id={token} /> },
    {
      key: 'expires',
      title: labels.expires,
      width: '120px',
      wideOnly: true,
      cell: ({ expiry_date }) => (expiry_date === false ? t.never : <Time at={expiry_date} />),
    },
    ...(canOperate
      ? [
          {
            key: 'remove',
            title: '',
            width: '110px',
            align: 'end' as const,
            cell: (token: DeviceToken) => (
              <Button variant="subtle" size="compact-sm" onClick={() => remove.mutate(token)}>
                {people.remove}
              </Button>
            ),
          },
        ]
      : []),
  ]
  return <Table label={labels.title} columns={columns} rows={query.data} idOf={({ token }) => token} />
}
