/** The profile of a user: as a form, as JSON, and merged with a tenant as a message would see it. */
import { SegmentedControl, Select, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { CodeEditor, JsonView } from '../../parts/code/code.tsx'
import { parseObject, printJson } from '../../parts/code/json.ts'
import { useAction } from '../../parts/confirm.tsx'
import { Card } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import { EditFoot } from '../edit-foot.tsx'
import styles from '../people.module.css'
import { peopleTexts } from '../people-texts.ts'
import { profilePatch } from './profile-patch.ts'

type ProfileValues = Record<string, unknown>

export interface UserProps {
  userId: string
  profile: ProfileValues | undefined
}

/** Shown in this order, also when they are empty. */
const COMMON = ['name', 'email', 'phone_number', 'locale', 'zoneinfo'] as const
const TENANTS_MAX = 100

const profileTexts = texts({
  en: {
    view: 'View',
    form: 'Form',
    merged: 'As a message sees it',
    name: 'Name',
    email: 'Email',
    phone_number: 'Telephone',
    locale: 'Locale',
    zoneinfo: 'Time zone',
    save: 'Save profile',
    saved: 'The profile is saved',
    nested: 'Lists and objects are edited as JSON:',
    tenant: 'Tenant',
    noTenant: 'Outside any tenant',
    mergedText:
      'The profile of the user, with the profile that the tenant and the membership add. It is read for every message.',
    conflict: 'A field that someone else has changed meanwhile is not overwritten.',
  },
  de: {
    view: 'Ansicht',
    form: 'Formular',
    merged: 'Wie eine Nachricht es sieht',
    name: 'Name',
    email: 'E-Mail',
    phone_number: 'Telefon',
    locale: 'Sprache und Region',
    zoneinfo: 'Zeitzone',
    save: 'Profil speichern',
    saved: 'Das Profil ist gespeichert',
    nested: 'Listen und Objekte werden als JSON bearbeitet:',
    tenant: 'Mandant',
    noTenant: 'Ohne Mandant',
    mergedText:
      'Das Profil des Nutzers mit dem, was Mandant und Mitgliedschaft hinzufügen. Es wird für jede Nachricht gelesen.',
    conflict: 'Ein Feld, das inzwischen anderswo geändert wurde, wird nicht überschrieben.',
  },
})

export function UserProfile({ userId, profile }: UserProps) {
  const labels = useTexts(profileTexts)
  const people = useTexts(peopleTexts)
  const { view = 'form' } = useSearch({ from: '/users/$userId' })
  const navigate = useNavigate({ from: '/users/$userId' })
  const { seesPersonalData } = usePermissions()
  if (!seesPersonalData) return <Empty title={labels.form}>{people.noData}</Empty>
  return (
    <>
      <div className={styles.tools}>
        <SegmentedControl
          size="xs"
          aria-label={labels.view}
          value={view}
          onChange={(next) =>
            void navigate({
              search: ({ view: _, ...rest }) => (next === 'json' || next === 'merged' ? { ...rest, view: next } : rest),
            })
          }
          data={[
            { value: 'form', label: labels.form },
            { value: 'json', label: people.json },
            { value: 'merged', label: labels.merged },
          ]}
        />
      </div>
      {view === 'merged' ? (
        <MergedProfile userId={userId} profile={profile} />
      ) : (
        <ProfileEditor key={view} as={view} userId={userId} profile={profile ?? {}} />
      )}
    </>
  )
}

function ProfileEditor({ userId, profile, as }: { userId: string; profile: ProfileValues; as: 'form' | 'json' }) {
  const labels = useTexts(profileTexts)
  const people = useTexts(peopleTexts)
  const { canOperate } = usePermissions()
  // Edits start from the profile that was read when editing began; the patch tests later ones against it.
  const [edits, setEdits] = useState<{ base: ProfileValues; values: ProfileValues; text: string }>()
  const base = edits?.base ?? profile
  const values = edits?.values ?? profile
  const text = edits?.text ?? printJson(profile)
  const object = parseObject(text)
  const next = as === 'json' ? object : values
  const patch = next ? profilePatch(base, next) : []
  const save = useAction({
    act: async () => {
      await api.profiles.patch(userId, { patch })
      return { before: base, after: next ?? base }
    },
    done: labels.saved,
    undo: ({ before, after }) => api.profiles.patch(userId, { patch: profilePatch(after, before) }),
    changes: [['profiles'], ['merged', userId]],
    after: () => setEdits(undefined),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (patch.length > 0) save.mutate()
      }}
    >
      <Card padded={as === 'form'}>
        {as === 'json' ? (
          <CodeEditor
            label={people.json}
            value={text}
            readOnly={!canOperate}
            minHeight="240px"
            onChange={(next) => setEdits({ base, values, text: next })}
          />
        ) : (
          <FormFields
            values={values}
            isReadOnly={!canOperate}
            change={(next) => setEdits({ base, values: next, text })}
          />
        )}
      </Card>
      {as === 'json' && !object && <p role="alert">{people.notJson}</p>}
      <EditFoot
        action={labels.save}
        isReady={patch.length > 0}
        isPending={save.isPending}
        discard={edits && (() => setEdits(undefined))}
      >
        <span className={styles.small}>{labels.conflict}</span>
      </EditFoot>
    </form>
  )
}

interface FormFieldsProps {
  values: ProfileValues
  isReadOnly: boolean
  change(values: ProfileValues): void
}

function FormFields({ values, isReadOnly, change }: FormFieldsProps) {
  const labels = useTexts(profileTexts)
  const isNested = (name: string) => typeof values[name] === 'object' && values[name] !== null
  const names = [...new Set([...COMMON, ...Object.keys(values)])]
  const nestedNames = names.filter(isNested)
  const labelOf = (name: string) => COMMON.find((common) => common === name)
  return (
    <div className={styles.form}>
      <div className={styles.pairs}>
        {names
          .filter((name) => !isNested(name))
          .map((name) => {
            const value = values[name]
            const common = labelOf(name)
            const label = common ? labels[common] : name
            if (typeof value === 'boolean')
              return (
                <Switch
                  key={name}
                  label={label}
                  disabled={isReadOnly}
                  checked={value}
                  onChange={() => change({ ...values, [name]: !value })}
                />
              )
            return (
              <TextInput
                key={name}
                label={label}
                readOnly={isReadOnly}
                type={typeof value === 'number' ? 'number' : 'text'}
                value={value === undefined || value === null ? '' : String(value)}
                onChange={(event) => change(withField(values, name, event.currentTarget.value))}
              />
            )
          })}
      </div>
      {nestedNames.length > 0 && (
        <p className={styles.small}>
          {labels.nested} <code>{nestedNames.join(', ')}</code>
        </p>
      )}
    </div>
  )
}

/** An emptied field is removed; a number stays one. */
function withField(values: ProfileValues, name: string, text: string): ProfileValues {
  const { [name]: old, ...rest } = values
  if (text === '') return rest
  return { ...values, [name]: typeof old === 'number' && Number.isFinite(Number(text)) ? Number(text) : text }
}

function MergedProfile({ userId, profile }: UserProps) {
  const labels = useTexts(profileTexts)
  const { tenant } = useSearch({ from: '/users/$userId' })
  const navigate = useNavigate({ from: '/users/$userId' })
  const tenants = useQuery({
    queryKey: ['memberships', userId, 'all'],
    queryFn: async ({ signal }) => (await api.memberships.list(userId, { limit: TENANTS_MAX }, { signal })).items,
  })
  const explanation = useQuery({
    queryKey: ['merged', userId, tenant ?? '', profile],
    // The decision on a message without content has the profile as the server merges it.
    queryFn: ({ signal }) =>
      api.explain(
        {
          message: {
            to: { user_id: userId, ...(tenant && { tenant_id: tenant }) },
            content: { title: '–', body: '–' },
          },
        },
        { signal },
      ),
  })
  return (
    <>
      <div className={styles.add}>
        <Select
          label={labels.tenant}
          allowDeselect={false}
          value={tenant ?? ''}
          onChange={(next) =>
            void navigate({ search: ({ tenant: _, ...rest }) => (next ? { ...rest, tenant: next } : rest) })
          }
          data={[
            { value: '', label: labels.noTenant },
            ...(tenants.data ?? []).map(({ tenant_id }) => ({ value: tenant_id, label: tenant_id })),
          ]}
        />
      </div>
      <p className={styles.dim}>{labels.mergedText}</p>
      {explanation.isPending ? (
        <Loading />
      ) : explanation.data ? (
        <Card padded={false}>
          <JsonView label={labels.merged} value={explanation.data.profile} />
        </Card>
      ) : (
        <Failed error={explanation.error} retry={explanation.refetch} />
      )}
    </>
  )
}
