/** API keys and the sessions that were signed in with them. */
import { Box, Button, Modal, NativeSelect, TextInput } from '@mantine/core'
import type { ApiKey, CreatedKey, KeyKind, KeyRole, Session } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { SampleCode } from '../parts/code/code.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Failed, Loading, messageOf, Note } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions, useSession } from '../session/session.tsx'

const keyTexts = texts({
  en: {
    title: 'API keys and sessions',
    description: 'A key is what a program calls with, and what a person signs in with here.',
    readOnly: 'A published key of role full creates and revokes keys.',
    keys: 'API keys',
    create: 'Create API key',
    kind: 'Kind',
    role: 'Role',
    published: 'published: sends published templates',
    draft: 'draft: sends drafts',
    mock: 'mock: renders, calls no provider',
    full: 'full: everything that the kind permits',
    editor: 'editor: templates and brands',
    reader: 'reader: reads everything',
    viewer: 'viewer: reads, personal data masked',
    nameHint: 'The person or program that uses it. It stands in the audit log beside every change.',
    expires: 'Expires',
    never: 'Never',
    expired: 'expired',
    inDays: (days: number) => (days === 365 ? 'In a year' : `In ${days} days`),
    expiring: (names: string, count: number) => `${names} ${count === 1 ? 'expires' : 'expire'} within 14 days`,
    replace: 'Create another key, put it where the old one is, and revoke the old one when it is not used any more.',
    lastUsed: 'Last used',
    noEnd: 'No end',
    unused: 'Never used',
    created: (name: string) => `The key ${name}`,
    once: 'This is the only time that the key is shown. Store it where its program reads it.',
    stored: 'I have stored it',
    revoke: 'Revoke',
    revokeKey: (name: string) => `Revoke the key ${name}`,
    revokeText: (sessions: number) =>
      sessions === 0
        ? 'Calls with it are refused at once. No session ends. This cannot be undone.'
        : `Calls with it are refused at once, and ${sessions === 1 ? 'the session' : `${sessions} sessions`} of it ends. This cannot be undone.`,
    yours: 'It is the key of this session: you will be signed out.',
    revoked: (name: string) => `The key ${name} was revoked.`,
    sessions: 'Sessions',
    sessionsHint: 'Browsers that are signed in with a key of this environment.',
    key: 'Key',
    current: 'This one',
    lastSeen: 'Last used',
    ends: 'Ends',
    revokeSession: (name: string) => `Revoke a session of ${name}`,
    sessionRevoked: 'The session was revoked.',
    noSessions: 'No one is signed in.',
  },
  de: {
    title: 'Schlüssel und Sitzungen',
    description: 'Mit einem Schlüssel ruft ein Programm die API auf, und ein Mensch meldet sich hier damit an.',
    readOnly: 'Anlegen und widerrufen kann Schlüssel, wer vollen Zugriff hat (published).',
    keys: 'API-Schlüssel',
    create: 'API-Schlüssel anlegen',
    kind: 'Art',
    role: 'Rolle',
    published: 'published: sendet veröffentlichte Vorlagen',
    draft: 'draft: sendet Entwürfe',
    mock: 'mock: rendert, ruft keinen Anbieter auf',
    full: 'full: alles, was die Art erlaubt',
    editor: 'editor: Vorlagen und Marken',
    reader: 'reader: liest alles',
    viewer: 'viewer: liest, ohne persönliche Daten',
    nameHint: 'Wer oder was ihn nutzt. Der Name steht bei jeder Änderung.',
    expires: 'Läuft ab',
    never: 'Nie',
    expired: 'abgelaufen',
    inDays: (days: number) => (days === 365 ? 'In einem Jahr' : `In ${days} Tagen`),
    expiring: (names: string, count: number) =>
      `${names} ${count === 1 ? 'läuft' : 'laufen'} in den nächsten 14 Tagen ab`,
    replace:
      'Bitte einen weiteren Schlüssel anlegen, ihn an die Stelle des alten setzen und den alten widerrufen, wenn er nicht mehr genutzt wird.',
    lastUsed: 'Zuletzt genutzt',
    noEnd: 'Ohne Ende',
    unused: 'Nie genutzt',
    created: (name: string) => `Der Schlüssel ${name}`,
    once: 'Der Schlüssel wird nur dieses eine Mal gezeigt. Bitte dort ablegen, wo das Programm ihn liest.',
    stored: 'Ich habe ihn abgelegt',
    revoke: 'Widerrufen',
    revokeKey: (name: string) => `Schlüssel ${name} widerrufen`,
    revokeText: (sessions: number) =>
      sessions === 0
        ? 'Aufrufe damit werden sofort abgelehnt. Keine Sitzung endet. Das lässt sich nicht rückgängig machen.'
        : `Aufrufe damit werden sofort abgelehnt, ${sessions === 1 ? 'eine Sitzung endet' : `${sessions} Sitzungen enden`}. Das lässt sich nicht rückgängig machen.`,
    yours: 'Es ist der Schlüssel dieser Sitzung: Sie werden abgemeldet.',
    revoked: (name: string) => `Der Schlüssel ${name} ist widerrufen.`,
    sessions: 'Sitzungen',
    sessionsHint: 'Browser, die mit einem Schlüssel dieser Umgebung angemeldet sind.',
    key: 'Schlüssel',
    current: 'Diese hier',
    lastSeen: 'Zuletzt genutzt',
    ends: 'Endet',
    revokeSession: (name: string) => `Eine Sitzung von ${name} widerrufen`,
    sessionRevoked: 'Die Sitzung ist widerrufen.',
    noSessions: 'Niemand ist angemeldet.',
  },
})

const keysKey = ['keys'] as const
const sessionsKey = ['sessions'] as const
const kinds = ['published', 'draft', 'mock'] as const
const roles = ['full', 'editor', 'reader', 'viewer'] as const
/** In days; 0 for a key that does not expire. */
const lifetimes = [0, 7, 30, 90, 365] as const

export function KeysScreen() {
  const t = useTexts(words)
  const labels = useTexts(keyTexts)
  const { canConnect } = usePermissions()
  const session = useSession()
  const confirm = useConfirm()
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<CreatedKey>()
  const keys = useQuery({
    queryKey: keysKey,
    queryFn: async ({ signal }) => (await api.keys.list({ signal })).results,
  })
  const sessions = useQuery({
    queryKey: sessionsKey,
    queryFn: async ({ signal }) => (await api.sessions.list({ signal })).results,
  })
  const revoke = useAction({
    act: ({ id }: ApiKey) => api.keys.revoke(id),
    done: (_result, { name }) => labels.revoked(name),
    changes: [keysKey, sessionsKey],
  })
  const revokeSession = useAction({
    act: ({ id }: Session) => api.sessions.revoke(id),
    done: labels.sessionRevoked,
    changes: [sessionsKey],
  })
  const confirmRevoke = async (key: ApiKey) => {
    const ending = sessions.data?.filter((other) => other.key.id === key.id).length ?? 0
    const isConfirmed = await confirm({
      title: labels.revokeKey(key.name),
      text: `${labels.revokeText(ending)} ${key.id === session.key.id ? labels.yours : ''}`,
      action: labels.revokeKey(key.name),
      isDangerous: true,
    })
    if (isConfirmed) revoke.mutate(key)
  }
  const keyColumns = useKeyColumns((key) => void confirmRevoke(key))
  const sessionColumns: Column<Session>[] = [
    {
      key: 'key',
      title: labels.key,
      cell: ({ key, current }) => (
        <>
          <strong>{key.name}</strong> {current && <Tag tone="good">{labels.current}</Tag>}
        </>
      ),
    },
    { key: 'environment', title: t.environment, width: '110px', cell: ({ environment }) => t[environment] },
    {
      key: 'seen',
      title: labels.lastSeen,
      width: '130px',
      align: 'end',
      cell: ({ last_seen }) => <Time at={last_seen} />,
    },
    { key: 'ends', title: labels.ends, width: '110px', align: 'end', cell: ({ expires }) => <Time at={expires} /> },
    {
      key: 'revoke',
      title: '',
      width: '110px',
      align: 'end',
      cell: (row) =>
        canConnect && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="bad"
            aria-label={labels.revokeSession(row.key.name)}
            onClick={() => revokeSession.mutate(row)}
          >
            {labels.revoke}
          </Button>
        ),
    },
  ]
  return (
    <Page
      title={labels.title}
      description={canConnect ? labels.description : `${labels.description} ${labels.readOnly}`}
      actions={canConnect && <Button onClick={() => setCreating(true)}>{labels.create}</Button>}
    >
      {keys.data && <Expiring keys={keys.data} />}
      <Section title={labels.keys}>
        {keys.isPending && <Loading />}
        {keys.isError && <Failed error={keys.error} retry={keys.refetch} />}
        {keys.data && <Table label={labels.keys} columns={keyColumns} rows={keys.data} idOf={({ id }) => id} />}
      </Section>
      <Section title={labels.sessions} description={labels.sessionsHint}>
        {sessions.isPending && <Loading />}
        {sessions.isError && <Failed error={sessions.error} retry={sessions.refetch} />}
        {sessions.data?.length === 0 && <p>{labels.noSessions}</p>}
        {sessions.data && sessions.data.length > 0 && (
          <Table label={labels.sessions} columns={sessionColumns} rows={sessions.data} idOf={({ id }) => id} />
        )}
      </Section>
      <CreateKey
        isOpen={isCreating}
        close={() => setCreating(false)}
        show={(key) => {
          setCreating(false)
          setCreated(key)
        }}
      />
      <Modal
        opened={created !== undefined}
        onClose={() => setCreated(undefined)}
        title={labels.created(created?.name ?? '')}
        // A click beside the dialog must not lose what is shown once.
        closeOnClickOutside={false}
        withCloseButton={false}
      >
        <p>{labels.once}</p>
        <SampleCode label={labels.created(created?.name ?? '')} code={created?.key ?? ''} />
        <Button mt="xl" fullWidth onClick={() => setCreated(undefined)}>
          {labels.stored}
        </Button>
      </Modal>
    </Page>
  )
}

/** As long before as `postrider doctor` warns. */
const WARNING_MS = 14 * 86_400_000

const endsSoon = ({ expires }: ApiKey, now: number) => expires !== null && expires > now && expires <= now + WARNING_MS

function Expiring({ keys }: { keys: readonly ApiKey[] }) {
  const labels = useTexts(keyTexts)
  const format = useFormat()
  const names = keys.filter((key) => endsSoon(key, Date.now())).map(({ name }) => name)
  if (names.length === 0) return null
  return (
    <Box mb="lg">
      <Note title={labels.expiring(format.list(names), names.length)}>{labels.replace}</Note>
    </Box>
  )
}

function useKeyColumns(revoke: (key: ApiKey) => void): Column<ApiKey>[] {
  const t = useTexts(words)
  const labels = useTexts(keyTexts)
  const { canConnect } = usePermissions()
  return [
    { key: 'name', title: t.name, cell: ({ name }) => <strong title={name}>{name}</strong> },
    { key: 'kind', title: labels.kind, width: '100px', cell: ({ kind }) => kind },
    { key: 'role', title: labels.role, width: '90px', cell: ({ role }) => <Tag mark={false}>{role}</Tag> },
    {
      key: 'used',
      title: labels.lastUsed,
      width: '190px',
      cell: ({ last_used: use }) => (use ? [use.day, use.address].filter(Boolean).join(' · ') : labels.unused),
    },
    { key: 'expires', title: labels.expires, width: '130px', cell: (key) => <Expiry of={key} /> },
    {
      key: 'created',
      title: t.created,
      width: '110px',
      align: 'end',
      cell: ({ created: at }) => <Time at={at} />,
    },
    {
      key: 'revoke',
      title: '',
      width: '110px',
      align: 'end',
      cell: (key) =>
        canConnect && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="bad"
            aria-label={labels.revokeKey(key.name)}
            onClick={() => revoke(key)}
          >
            {labels.revoke}
          </Button>
        ),
    },
  ]
}

function Expiry({ of: key }: { of: ApiKey }) {
  const labels = useTexts(keyTexts)
  const now = Date.now()
  if (key.expires === null) return labels.noEnd
  if (key.expires <= now)
    return (
      <Tag tone="bad">
        <Time at={key.expires}>{labels.expired}</Time>
      </Tag>
    )
  if (!endsSoon(key, now)) return <Time at={key.expires} />
  return (
    <Tag tone="warn">
      <Time at={key.expires} />
    </Tag>
  )
}

interface CreateKeyProps {
  isOpen: boolean
  close(): void
  show(key: CreatedKey): void
}

function CreateKey({ isOpen, close, show }: CreateKeyProps) {
  const t = useTexts(words)
  const labels = useTexts(keyTexts)
  const session = useSession()
  const [name, setName] = useState('')
  const [kind, setKind] = useState<KeyKind>('published')
  // The least that signs in; more is chosen on purpose.
  const [role, setRole] = useState<KeyRole>('viewer')
  const [days, setDays] = useState(0)
  const create = useAction({
    act: () => {
      const expires = days === 0 ? null : `${days} days`
      return api.keys.create(
        { name: name.trim(), kind, role, environment: session.environment, expires },
        { retries: 0 },
      )
    },
    changes: [keysKey],
    after: (key) => {
      setName('')
      show(key)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') create.mutate()
  }
  return (
    <Modal opened={isOpen} onClose={close} title={labels.create} closeButtonProps={{ 'aria-label': t.close }}>
      <form onSubmit={submit}>
        <TextInput
          data-autofocus
          label={t.name}
          description={labels.nameHint}
          value={name}
          error={create.isError ? messageOf(create.error) : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <NativeSelect
          mt="md"
          label={labels.role}
          value={role}
          data={roles.map((value) => ({ value, label: labels[value] }))}
          onChange={(event) => setRole(event.currentTarget.value as KeyRole)}
        />
        <NativeSelect
          mt="md"
          label={labels.kind}
          value={kind}
          data={kinds.map((value) => ({ value, label: labels[value] }))}
          onChange={(event) => setKind(event.currentTarget.value as KeyKind)}
        />
        <NativeSelect
          mt="md"
          label={labels.expires}
          value={String(days)}
          data={lifetimes.map((value) => ({
            value: String(value),
            label: value === 0 ? labels.never : labels.inDays(value),
          }))}
          onChange={(event) => setDays(Number(event.currentTarget.value))}
        />
        <Button mt="xl" type="submit" fullWidth loading={create.isPending} disabled={name.trim() === ''}>
          {labels.create}
        </Button>
      </form>
    </Modal>
  )
}
