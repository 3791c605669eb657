/** The form of an integration, drawn from the settings that its provider declares. Secrets are only written. */
import { Button, NativeSelect, NumberInput, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core'
import type { CatalogEntry, CatalogSetting, Integration, ProviderTest } from '@postrider/client'
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { CodeText } from '../parts/code/code-text.tsx'
import { messageOf } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import type { IntegrationInput } from './change.ts'
import styles from './integrations.module.css'
import { useLeaveGuard } from './leave-guard.ts'
import { inputOf, missingSettings, SECRET_MASK, type SettingsInput, settingsOf } from './settings-input.ts'
import { type FieldErrors, fieldErrorsOf, rejectedSettings } from './settings-problem.ts'

const formTexts = texts({
  en: {
    title: 'Name',
    titleHint: 'As it stands in lists and in the history of messages.',
    alias: 'Alias',
    aliasHint: 'A name for it in calls of the API, instead of its id.',
    set: 'Set',
    replace: 'Replace',
    keep: 'Keep the stored one',
    newSecret: 'A new value replaces the stored one, which is never shown; an empty one removes it.',
    byDefault: (value: string) => `Default: ${value}`,
    notChosen: 'Not chosen',
    more: 'More settings',
    fewer: 'Fewer settings',
    sender: 'Sender',
    oauth: 'Sign-in by OAuth 2.0',
    dkim: 'Signature (DKIM)',
    callbacks: 'Receipts and replies',
    advanced: 'Special cases',
    api: 'In the API',
    limits: 'Share and limits',
    weight: 'Weight',
    weightHint: 'Its share of the channel, among the integrations with a weight. Empty: it has its turn by order.',
    perSecond: 'Calls per second',
    concurrency: 'Calls at a time',
    perDay: 'Calls per day (UTC)',
    limitHint: 'Over all nodes. A message that finds the limit reached tries the next integration, or waits.',
    missing: 'This setting is required.',
    rejected: 'The provider did not accept this.',
    marked: 'Correct the marked fields.',
  },
  de: {
    title: 'Name',
    titleHint: 'So steht sie in Listen und im Verlauf der Nachrichten.',
    alias: 'Alias',
    aliasHint: 'Ein Name für Aufrufe der API, an Stelle der Id.',
    set: 'Gesetzt',
    replace: 'Ersetzen',
    keep: 'Den gespeicherten behalten',
    newSecret: 'Ein neuer Wert ersetzt den gespeicherten, der nie gezeigt wird; ein leerer entfernt ihn.',
    byDefault: (value: string) => `Vorgabe: ${value}`,
    notChosen: 'Nicht gewählt',
    more: 'Weitere Einstellungen',
    fewer: 'Weniger Einstellungen',
    sender: 'Absender',
    oauth: 'Anmeldung mit OAuth 2.0',
    dkim: 'Signatur (DKIM)',
    callbacks: 'Rückmeldungen und Antworten',
    advanced: 'Sonderfälle',
    api: 'In der API',
    limits: 'Anteil und Grenzen',
    weight: 'Gewicht',
    weightHint: 'Ihr Anteil am Kanal unter den Integrationen mit Gewicht. Leer: Sie kommt der Reihe nach dran.',
    perSecond: 'Aufrufe je Sekunde',
    concurrency: 'Aufrufe zugleich',
    perDay: 'Aufrufe je Tag (UTC)',
    limitHint: 'Über alle Knoten. Ist die Grenze erreicht, geht eine Nachricht zur nächsten Integration oder wartet.',
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
  const { errors, isElsewhere, missingErrors, clear, setMissingNames } = useFieldErrors(
    { failure, signIn, fields: [...Object.keys(schema), ...integrationFields] },
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
    setMissingNames(missing)
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
      {integration && (
        <fieldset className={styles.limits} disabled={isReadOnly}>
          <legend>{t.limits}</legend>
          <p className={styles.small}>{t.limitHint}</p>
          {limitNames.map((name) => (
            <NumberInput
              key={name}
              label={t[labels[name]]}
              {...(name === 'weight' && { description: t.weightHint })}
              name={name}
              value={limits[name]}
              error={errors[name]}
              min={0}
              hideControls
              allowDecimal={name === 'per_second'}
              onChange={(value) => {
                clear(name)
                setLimits((before) => ({ ...before, [name]: String(value) }))
              }}
            />
          ))}
        </fieldset>
      )}
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

/** Fields of the integration itself, beside its settings. */
const integrationFields = ['title', 'alias', 'weight', 'per_second', 'concurrency', 'per_day']

interface FieldProblem {
  failure: unknown
  signIn: ProviderTest['sign_in'] | undefined
  fields: readonly string[]
}

/** The errors at fields, until these are edited; the first one is focused. */
function useFieldErrors({ failure, signIn, fields }: FieldProblem, form: RefObject<HTMLFormElement | null>) {
  const t = useTexts(formTexts)
  const [missingNames, setMissingNames] = useState<readonly string[]>([])
  const problem = failure ?? signIn
  const [cleared, setCleared] = useState<{ of: unknown; names: readonly string[] }>({ of: undefined, names: [] })
  const clearedNames = cleared.of === problem ? cleared.names : []
  const all: FieldErrors = {
    ...Object.fromEntries(rejectedSettings(signIn).map((name) => [name, t.rejected])),
    ...fieldErrorsOf(failure, fields),
  }
  const errors: FieldErrors = Object.fromEntries(Object.entries(all).filter(([name]) => !clearedNames.includes(name)))
  const clear = (name: string) => setCleared({ of: problem, names: [...clearedNames, name] })
  const first = Object.keys(all)[0] ?? missingNames[0]
  // biome-ignore lint/correctness/useExhaustiveDependencies: a field is focused when the problem is new, not when it is edited
  useEffect(() => {
    if (first !== undefined) form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus()
  }, [problem, missingNames])
  const isElsewhere = Object.keys(fieldErrorsOf(failure, fields)).length === 0
  return { errors, isElsewhere, missingErrors: missingNames, clear, setMissingNames }
}

interface SettingFieldProps {
  name: string
  setting: CatalogSetting
  value: string | boolean
  isStored: boolean
  isReadOnly: boolean
  error: string | undefined
  change(value: string | boolean): void
}

function SettingField({ name, setting, value, isStored, isReadOnly, error, change }: SettingFieldProps) {
  const t = useTexts(formTexts)
  const { type, values = [], secret, title = name, required, default: standard } = setting
  const [isReplaced, setReplaced] = useState(!isStored)
  const about = [setting.description, standard !== undefined && t.byDefault(String(standard))]
    .filter(Boolean)
    .join('. ')
  const description = about && <CodeText text={about} />
  const common = {
    ...{ label: title, description, name, disabled: isReadOnly, error },
    ...(required && { withAsterisk: true, 'aria-required': true }),
  }
  const text = String(value)
  if (typeof value === 'boolean')
    return (
      <Switch
        label={title}
        description={description}
        name={name}
        error={error}
        checked={value}
        disabled={isReadOnly}
        onChange={(event) => change(event.currentTarget.checked)}
      />
    )
  if (type === 'enum')
    return (
      <NativeSelect
        {...common}
        value={text}
        data={[{ value: '', label: t.notChosen }, ...values]}
        onChange={(event) => change(event.currentTarget.value)}
      />
    )
  if (secret && !isReplaced)
    return (
      <div>
        <div className={styles.label}>{title}</div>
        <div className={styles.secret}>
          <Tag tone="good">{t.set}</Tag>
          {!isReadOnly && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`${t.replace}: ${title}`}
              onClick={() => {
                setReplaced(true)
                change('')
              }}
            >
              {t.replace}
            </Button>
          )}
        </div>
        {error && <p className={styles.error}>{error}</p>}
      </div>
    )
  if (secret) {
    const isLong = /PEM|private key|JSON/i.test(`${title} ${about}`)
    const Field = isLong ? Textarea : PasswordInput
    return (
      <div>
        <Field
          {...common}
          {...(isLong && { autosize: false, rows: 4, spellCheck: false })}
          autoComplete="new-password"
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
        />
        {isStored && (
          <div className={styles.secret}>
            <span className={styles.small}>{t.newSecret}</span>
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => {
                setReplaced(false)
                change(SECRET_MASK)
              }}
            >
              {t.keep}
            </Button>
          </div>
        )}
      </div>
    )
  }
  return (
    <TextInput
      {...common}
      value={text}
      spellCheck={false}
      inputMode={type === 'integer' || type === 'number' ? 'numeric' : 'text'}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}

const limitNames = ['weight', 'per_second', 'concurrency', 'per_day'] as const
type LimitsInput = Readonly<Record<(typeof limitNames)[number], string>>
const labels = { weight: 'weight', per_second: 'perSecond', concurrency: 'concurrency', per_day: 'perDay' } as const

const limitsInputOf = (integration: Integration | undefined): LimitsInput => ({
  weight: String(integration?.weight ?? ''),
  per_second: String(integration?.limits?.per_second ?? ''),
  concurrency: String(integration?.limits?.concurrency ?? ''),
  per_day: String(integration?.limits?.per_day ?? ''),
})

/** Only the changed limits; null removes one. */
function limitsOf(
  input: LimitsInput,
  integration: Integration | undefined,
): Pick<IntegrationInput, 'weight' | 'limits'> {
  const before = limitsInputOf(integration)
  const changedNames = limitNames.filter((name) => input[name] !== before[name])
  const value = (name: (typeof limitNames)[number]) => (input[name] === '' ? null : Number(input[name]))
  const limits = changedNames.filter((name) => name !== 'weight').map((name) => [name, value(name)])
  return {
    ...(changedNames.includes('weight') && { weight: value('weight') }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
  }
}
