/** The form of an integration, drawn from the settings that its provider declares. Secrets are only written. */
import { Button, TextInput } from '@mantine/core'
import type { CatalogEntry, CatalogSetting, Integration, ProviderTest } from '@postrider/client'
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { messageOf } from '../parts/states.tsx'
import type { IntegrationInput } from './change.ts'
import styles from './integrations.module.css'
import { useLeaveGuard } from './leave-guard.ts'
import { isOfSecrets, type Repair } from './repair.ts'
import { SettingField } from './setting-field.tsx'
import { inputOf, missingSettings, SECRET_MASK, type SettingsInput, settingsOf } from './settings-input.ts'
import { type FieldErrors, fieldErrorsOf, rejectedSettings, secretsInUse } from './settings-problem.ts'
import { type LimitsInput, limitsInputOf, limitsOf, UsageFields } from './usage-fields.tsx'

const formTexts = texts({
  en: {
    title: 'Name',
    titleHint: 'As it stands in lists and in the history of messages.',
    alias: 'Alias',
    aliasHint: 'A name for it in calls of the API, instead of its id.',
    more: 'More settings',
    fewer: 'Fewer settings',
    sender: 'Sender',
    oauth: 'Sign-in by OAuth 2.0',
    dkim: 'Signature (DKIM)',
    callbacks: 'Receipts and replies',
    advanced: 'Special cases',
    api: 'In the API',
    missing: 'This setting is required.',
    rejected: 'The provider did not accept this.',
    marked: 'Correct the marked fields.',
  },
  de: {
    title: 'Name',
    titleHint: 'So steht sie in Listen und im Verlauf der Nachrichten.',
    alias: 'Alias',
    aliasHint: 'Ein Name für Aufrufe der API, an Stelle der Id.',
    more: 'Weitere Einstellungen',
    fewer: 'Weniger Einstellungen',
    sender: 'Absender',
    oauth: 'Anmeldung mit OAuth 2.0',
    dkim: 'Signatur (DKIM)',
    callbacks: 'Rückmeldungen und Antworten',
    advanced: 'Sonderfälle',
    api: 'In der API',
    missing: 'Diese Einstellung ist nötig.',
    rejected: 'Der Anbieter nimmt das nicht an.',
    marked: 'Die markierten Felder berichtigen.',
  },
})

type Group = NonNullable<CatalogSetting['group']>
const groups: readonly Group[] = ['sender', 'oauth', 'dkim', 'callbacks', 'advanced']

interface SettingsFormProps {
  entry: CatalogEntry
  /** Absent for a new one. */
  integration?: Integration
  action: string
  isSaving: boolean
  failure: unknown
  /** A sign-in with these settings: those that made it fail are marked. */
  signIn?: ProviderTest['sign_in'] | undefined
  /** Whether something was typed that is not saved. */
  report?(isDirty: boolean): void
  save(input: IntegrationInput): void
  /** A second way to save, beside the first. */
  otherwise?: { action: string; isSaving: boolean; save(input: IntegrationInput): void } | undefined
  /** Above the buttons. */
  outcome?: ReactNode
  /** Where a new one is tried. */
  place?: ReactNode
  /** Its stored secrets are entered again, where they are the cause. */
  repair?: Repair | undefined
  /** The page was opened for its settings: the first field of the repair is focused. */
  hasFocus?: boolean
  isReadOnly?: boolean
  /** Beside the button. */
  children?: ReactNode
}

export function SettingsForm({
  entry,
  integration,
  isReadOnly = false,
  failure,
  signIn,
  report,
  repair,
  hasFocus = false,
  ...actions
}: SettingsFormProps) {
  const t = useTexts(formTexts)
  const { settings: schema } = entry
  const [title, setTitle] = useState(integration?.title ?? entry.name)
  const [alias, setAlias] = useState(integration?.alias ?? '')
  const [input, setInput] = useState<SettingsInput>(() => inputOf(schema, integration?.settings ?? {}))
  const [limits, setLimits] = useState<LimitsInput>(() => limitsInputOf(integration))
  const [hasAll, setAll] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const settings = settingsOf(schema, input, integration?.settings)
  const changes: IntegrationInput = {
    settings,
    ...(alias !== (integration?.alias ?? '') && { alias: alias === '' ? null : alias }),
    ...limitsOf(limits, integration),
  }
  const isDirty =
    title !== (integration?.title ?? entry.name) || Object.keys(changes).length > 1 || Object.keys(settings).length > 0
  useLeaveGuard(isDirty && !isReadOnly)
  useEffect(() => report?.(isDirty), [report, isDirty])
  const { errors, isElsewhere, isRefused, missingErrors, clear, setMissingNames } = useFieldErrors(
    {
      ...{ failure, signIn, hasFocus, fields: [...Object.keys(schema), ...integrationFields] },
      refused: isReadOnly || !isOfSecrets(repair) ? [] : secretsInUse(schema, integration?.settings),
      words: repair?.error,
    },
    form,
  )
  const isStored = (name: string) => integration?.settings[name] !== undefined
  const groupNames = namesByGroup(schema)
  // A group that is in use stays open.
  const isOpen = (group: Group) =>
    hasAll || (groupNames.get(group) ?? []).some((name) => isStored(name) || name in errors)
  const openGroups = groups.filter((group) => groupNames.has(group) && isOpen(group))
  const hasAlias = hasAll || integration?.alias !== undefined || 'alias' in errors
  const foldedCount = [...groupNames].reduce(
    (sum, [group, { length }]) => {
      return group === undefined || (groupNames.get(group) ?? []).some(isStored) ? sum : sum + length
    },
    integration?.alias === undefined ? 1 : 0,
  )
  const saveBy = (save: (input: IntegrationInput) => void) => {
    const missing = missingSettings(schema, input)
    // The same one while none is missing: a new one would focus the field of an earlier problem.
    setMissingNames(missing.length > 0 ? missing : NONE_MISSING)
    if (missing.length > 0) return
    save({ title, ...changes })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saveBy(actions.save)
  }
  const fields = (names: readonly string[] = []) =>
    names.map((name) => (
      <SettingField
        key={name}
        name={name}
        setting={schema[name] as CatalogSetting}
        value={input[name] ?? ''}
        isStored={integration?.settings[name] === SECRET_MASK}
        isOpen={isRefused(name)}
        isReadOnly={isReadOnly}
        error={input[name] === '' && missingErrors.includes(name) ? t.missing : errors[name]}
        change={(value) => {
          clear(name)
          setInput((before) => ({ ...before, [name]: value }))
        }}
      />
    ))
  return (
    <form ref={form} className={styles.form} onSubmit={submit} noValidate autoComplete="off">
      <TextInput
        label={t.title}
        description={t.titleHint}
        name="title"
        value={title}
        error={errors.title}
        disabled={isReadOnly}
        onChange={(event) => {
          clear('title')
          setTitle(event.currentTarget.value)
        }}
      />
      {fields(groupNames.get(undefined))}
      {foldedCount > 0 && (
        <div>
          <Button variant="subtle" size="compact-sm" aria-expanded={hasAll} onClick={() => setAll(!hasAll)}>
            {hasAll ? t.fewer : `${t.more} (${foldedCount})`}
          </Button>
        </div>
      )}
      {openGroups.map((group) => (
        <fieldset key={group} className={styles.limits}>
          <legend>{t[group]}</legend>
          {fields(groupNames.get(group))}
        </fieldset>
      ))}
      {hasAlias && (
        <fieldset className={styles.limits}>
          <legend>{t.api}</legend>
          <TextInput
            label={t.alias}
            description={t.aliasHint}
            name="alias"
            value={alias}
            error={errors.alias}
            disabled={isReadOnly}
            onChange={(event) => {
              clear('alias')
              setAlias(event.currentTarget.value)
            }}
          />
        </fieldset>
      )}
      <UsageFields
        limits={limits}
        errors={errors}
        isReadOnly={isReadOnly}
        change={(name, value) => {
          clear(name)
          setLimits((before) => ({ ...before, [name]: value }))
        }}
      >
        {actions.place}
      </UsageFields>
      {failure !== undefined && failure !== null && (isElsewhere || Object.keys(errors).length > 0) && (
        <div className={styles.note} data-tone="bad" role="alert">
          {isElsewhere ? messageOf(failure) : t.marked}
        </div>
      )}
      {actions.outcome}
      {!isReadOnly && (
        <div className={styles.formActions}>
          <Button type="submit" loading={actions.isSaving} disabled={actions.otherwise?.isSaving ?? false}>
            {actions.action}
          </Button>
          {actions.otherwise && (
            <Button
              variant="default"
              loading={actions.otherwise.isSaving}
              disabled={actions.isSaving}
              onClick={() => actions.otherwise && saveBy(actions.otherwise.save)}
            >
              {actions.otherwise.action}
            </Button>
          )}
          {actions.children}
        </div>
      )}
    </form>
  )
}

/** The names of settings by their group; basic and required ones have none. */
function namesByGroup(schema: Readonly<Record<string, CatalogSetting>>): Map<Group | undefined, string[]> {
  const byGroup = new Map<Group | undefined, string[]>()
  for (const [name, { group, required }] of Object.entries(schema)) {
    const key = required ? undefined : group
    byGroup.set(key, [...(byGroup.get(key) ?? []), name])
  }
  return byGroup
}

const NONE_MISSING: readonly string[] = []

/** Fields of the integration itself, beside its settings. */
const integrationFields = ['title', 'alias', 'weight', 'per_second', 'concurrency', 'per_day']

interface FieldProblem {
  failure: unknown
  signIn: ProviderTest['sign_in'] | undefined
  fields: readonly string[]
  /** Stored secrets that the provider refuses, in its words. */
  refused: readonly string[]
  words: string | undefined
  hasFocus: boolean
}

/** The errors at fields, until these are edited; the first one is focused. */
function useFieldErrors(
  { failure, signIn, fields, refused, words, hasFocus }: FieldProblem,
  form: RefObject<HTMLFormElement | null>,
) {
  const t = useTexts(formTexts)
  const [missingNames, setMissingNames] = useState(NONE_MISSING)
  const problem = failure ?? signIn
  const [cleared, setCleared] = useState<{ of: unknown; names: readonly string[] }>({ of: undefined, names: [] })
  const clearedNames = cleared.of === problem ? cleared.names : []
  const all: FieldErrors = problem
    ? {
        ...Object.fromEntries(rejectedSettings(signIn).map((name) => [name, t.rejected])),
        ...fieldErrorsOf(failure, fields),
      }
    : Object.fromEntries(refused.map((name) => [name, words ?? t.rejected]))
  const errors: FieldErrors = Object.fromEntries(Object.entries(all).filter(([name]) => !clearedNames.includes(name)))
  const clear = (name: string) => setCleared({ of: problem, names: [...clearedNames, name] })
  const focus = (name: string | undefined) => {
    if (name !== undefined) form.current?.querySelector<HTMLElement>(`[name="${name}"]`)?.focus()
  }
  const first = problem ? Object.keys(all)[0] : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: a field is focused when the problem is new, not when it is edited
  useEffect(() => focus(first ?? missingNames[0]), [problem, missingNames])
  // Once, when the repair is known: the words of the provider change.
  const [toRepair] = refused
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is focused on arrival
  useEffect(() => (hasFocus ? focus(toRepair) : undefined), [toRepair])
  return {
    ...{ errors, clear, setMissingNames },
    isRefused: (name: string) => refused.includes(name),
    isElsewhere: Object.keys(fieldErrorsOf(failure, fields)).length === 0,
    missingErrors: missingNames,
  }
}
