/** All users, found by what their id, address or telephone number begins with. */

import { TextInput } from '@mantine/core'
import type { ProfileSummary } from '@postrider/client'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { serverUrl } from '../../address.ts'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { SampleCode } from '../../parts/code/code.tsx'
import { useAction } from '../../parts/confirm.tsx'
import { CopyableId } from '../../parts/copyable.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { tablePage } from '../../parts/table/paging.ts'
import type { Column } from '../../parts/table/table.tsx'
import { Time } from '../../parts/time.tsx'
import { api, isTaken } from '../../session/api.ts'
import { Listing } from '../listing.tsx'
import { peopleTexts } from '../people-texts.ts'

const PAGE = 50

const usersTexts = texts({
  en: {
    title: 'Users',
    description: 'Everyone with a stored profile, the newest first.',
    search: 'Id, email or telephone number begins with …',
    add: 'Add user',
    added: (id: string) => `Added ${id}`,
    empty: 'No users yet',
    emptyText: 'A profile is stored by one call, or with the first send that has one.',
    none: (search: string) => `No user begins with “${search}”`,
    noneText: 'The id, the email address and the telephone number with its country code are searched.',
  },
  de: {
    title: 'Nutzer',
    description: 'Alle mit einem gespeicherten Profil, die neuesten zuerst.',
    search: 'Id, E-Mail oder Telefonnummer beginnt mit …',
    add: 'Nutzer hinzufügen',
    added: (id: string) => `${id} ist angelegt`,
    empty: 'Noch keine Nutzer',
    emptyText: 'Ein Aufruf speichert ein Profil, ebenso der erste Versand, der eines enthält.',
    none: (search: string) => `Kein Nutzer beginnt mit „${search}“`,
    noneText: 'Gesucht wird in Id, E-Mail-Adresse und Telefonnummer mit Landesvorwahl.',
  },
})

export function UsersScreen() {
  const t = useTexts(words)
  const labels = useTexts(usersTexts)
  const people = useTexts(peopleTexts)
  const state = useSearch({ from: '/users' })
  const navigate = useNavigate({ from: '/users' })
  const open = (userId: string) => void navigate({ to: '/users/$userId', params: { userId } })
  const { search } = state
  const columns: Column<ProfileSummary>[] = [
    { key: 'name', title: t.name, cell: ({ name, id }) => name ?? id },
    { key: 'id', title: people.userId, cell: ({ id }) => <CopyableId id={id} /> },
    { key: 'email', title: people.email, width: 'minmax(0, 1.3fr)', cell: ({ email }) => email ?? '–' },
    { key: 'phone', title: people.phone, width: '160px', wideOnly: true, cell: (user) => user.phone_number ?? '–' },
    { key: 'updated', title: t.updated, width: '120px', align: 'end', cell: ({ updated }) => <Time at={updated} /> },
  ]
  return (
    <Listing
      labels={labels}
      emptyText={
        <>
          <p>{labels.emptyText}</p>
          <SampleCode
            label="curl"
            code={`curl -X PUT ${serverUrl}/profiles/user-7 -H "Authorization: Bearer $POSTRIDER_API_KEY" -H "Content-Type: application/json" -d '{"profile":{"email":"ada@example.com"}}'`}
          />
        </>
      }
      filter={{ label: labels.search, none: labels.none(search ?? ''), noneText: labels.noneText }}
      state={state}
      change={(next, options) => void navigate({ search: next, ...options })}
      open={open}
      queryKey={['profiles', 'list', search]}
      columns={columns}
      load={async (cursor, signal) =>
        tablePage(
          await api.profiles.list(
            { limit: PAGE, ...(search !== undefined && { search }), ...(cursor !== undefined && { cursor }) },
            { signal },
          ),
        )
      }
      form={(close) => <NewUser close={close} done={open} />}
    />
  )
}

function NewUser({ close, done }: { close(): void; done(userId: string): void }) {
  const t = useTexts(words)
  const labels = useTexts(usersTexts)
  const people = useTexts(peopleTexts)
  const [id, setId] = useState('')
  const [fields, setFields] = useState({ name: '', email: '', phone_number: '' })
  const save = useAction({
    act: () => {
      const profile = Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim() !== ''))
      return api.profiles.replace(id.trim(), { profile }, { ifAbsent: true })
    },
    done: labels.added(id.trim()),
    changes: [['profiles']],
    after: () => done(id.trim()),
  })
  const field = (name: keyof typeof fields, label: string, type: string) => (
    <TextInput
      label={label}
      type={type}
      value={fields[name]}
      onChange={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
    />
  )
  return (
    <DialogForm
      action={labels.add}
      isReady={id.trim() !== ''}
      isPending={save.isPending}
      submit={save.mutate}
      close={close}
    >
      <TextInput
        data-autofocus
        required
        label={people.userId}
        error={isTaken(save.error) && t.idTaken}
        value={id}
        onChange={(event) => {
          save.reset()
          setId(event.currentTarget.value)
        }}
      />
      {field('name', t.name, 'text')}
      {field('email', people.email, 'email')}
      {field('phone_number', people.phone, 'tel')}
    </DialogForm>
  )
}
