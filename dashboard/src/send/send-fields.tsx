/** The fields of a send: the template, the recipient, contact values and options of this message, and the data. */
import { ChevronDownIcon } from '@heroicons/react/20/solid'
import { Button, SegmentedControl, TextInput } from '@mantine/core'
import type { Explanation, ProfileSummary, Settings } from '@postrider/client'
import { code } from '@postrider/client/sentence'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { UserInput } from '../names/user-input.tsx'
import { CodeText } from '../parts/code/code-text.tsx'
import { isObject } from '../parts/code/json.ts'
import { focusIncompleteJson, JsonInput } from '../parts/code/json-input.tsx'
import { useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { type DataField, fieldsOf, isMissing, textAt, typedValue, valueAt, withoutFields, withValue } from './fields.ts'
import { recipientOf, type SendForm } from './form.ts'
import styles from './send.module.css'
import type { StoredSend } from './stored-send.ts'
import { TemplateInput } from './template-input.tsx'

const fieldTexts = texts({
  en: {
    filled:
      'Filled in as a message was sent. The API does not show its brand, timeouts, expiry and trace id, and does not keep fields that it does not know: this send has none of them.',
    leftOut: (parts: string) => `Left out: ${parts}.`,
    routing: (method: string, channels: string) => `With its routing \`${method}\` of ${channels}.`,
    topic: (topic: string) => `With its topic \`${topic}\`.`,
    profile: (names: string) => `With its profile values ${names}.`,
    withoutOptions: 'Leave out',
    content: 'its content, which came with the send',
    delay: 'its delay',
    overrides: 'its overrides',
    fieldsLeftOut: (names: string) => `its profile values ${names}`,
    edit: 'Edit',
    to: 'Recipient',
    toHint: 'A user, an email address or a phone number. One at a time; lists are sent to by the API.',
    notStored: 'No profile is stored under this id.',
    address: 'An address: no stored profile is used.',
    contact: 'Contact values for this message only',
    optionsOf: 'Options for this message',
    email: 'Email',
    phone: 'Phone number',
    locale: 'Locale',
    tenant: 'Tenant',
    tags: 'Tags, with commas',
    data: 'Data',
    variables: (count: number) => `${count} ${count === 1 ? 'variable' : 'variables'}`,
    none: 'This content reads no data.',
    fields: 'Fields',
    json: 'JSON',
    as: 'Data as',
    text: 'text',
    any: 'any',
    object: 'object',
    list: 'list',
    listOf: (names: string) => `list of ${names}`,
    optional: 'optional',
    noValue: 'No value',
    missing: 'Without a value the message shows',
    fails: 'Without a value it is not delivered.',
    empty: 'Without a value it is left out.',
  },
  de: {
    filled:
      'Ausgefüllt, wie eine Nachricht gesendet wurde. Marke, Timeouts, Ablauf und Trace-Id zeigt die API nicht, und Felder, die sie nicht kennt, bewahrt sie nicht auf: Diese Sendung hat nichts davon.',
    leftOut: (parts: string) => `Weggelassen: ${parts}.`,
    routing: (method: string, channels: string) => `Mit ihren Zustellwegen \`${method}\`: ${channels}.`,
    topic: (topic: string) => `Mit ihrem Thema \`${topic}\`.`,
    profile: (names: string) => `Mit ihren Profilwerten ${names}.`,
    withoutOptions: 'Weglassen',
    content: 'ihr Inhalt, der mit der Sendung kam',
    delay: 'ihre Verzögerung',
    overrides: 'ihre Overrides',
    fieldsLeftOut: (names: string) => `ihre Profilwerte ${names}`,
    edit: 'Bearbeiten',
    to: 'Empfänger',
    toHint: 'Ein Nutzer, eine Mailadresse oder eine Telefonnummer. Immer einer; an Listen sendet die API.',
    notStored: 'Unter dieser Id ist kein Profil gespeichert.',
    address: 'Eine Adresse: Kein gespeichertes Profil gilt.',
    contact: 'Kontaktdaten nur für diese Nachricht',
    optionsOf: 'Optionen für diese Nachricht',
    email: 'E-Mail',
    phone: 'Telefonnummer',
    locale: 'Sprache',
    tenant: 'Mandant',
    tags: 'Tags, mit Kommas',
    data: 'Daten',
    variables: (count: number) => `${count} ${count === 1 ? 'Variable' : 'Variablen'}`,
    none: 'Dieser Inhalt liest keine Daten.',
    fields: 'Felder',
    json: 'JSON',
    as: 'Daten als',
    text: 'Text',
    any: 'beliebig',
    object: 'Objekt',
    list: 'Liste',
    listOf: (names: string) => `Liste von ${names}`,
    optional: 'optional',
    noValue: 'Ohne Wert',
    missing: 'Ohne Wert zeigt die Nachricht',
    fails: 'Ohne Wert wird sie nicht zugestellt.',
    empty: 'Ohne Wert wird sie weggelassen.',
  },
})

export interface SendFieldsProps {
  form: SendForm
  change(changes: Partial<SendForm>): void
  /** The stored user who is named. */
  user: ProfileSummary | undefined
  /** Whether there is one could not be read. */
  isUserUnread: boolean
  explanation: Explanation | undefined
  /** The send that has filled the form. */
  filled: StoredSend | undefined
}

/** The template that the send leads to, with the variables of its version. */
const useTemplate = ({ id = '', version = '' }: { id?: string; version?: string } = {}) =>
  useQuery({
    queryKey: ['send', 'template', id, version],
    enabled: id !== '',
    queryFn: async ({ signal }) => {
      const { name, content, settings } = await api.notifications.get(id, { version }, { signal })
      const { variables } = await api.notifications.inspect({ notification: { name, content, settings } }, { signal })
      const onMissing = settings.on_missing_variable ?? (await api.settings.get({ signal })).on_missing_variable
      return { id, name, fields: fieldsOf(variables), onMissing }
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  }).data

export function SendFields({ form, change, user, isUserUnread, explanation, filled }: SendFieldsProps) {
  const t = useTexts(fieldTexts)
  const mapped = explanation?.notification
  const template = useTemplate(mapped)
  useForgottenData(template, form, change)
  return (
    <>
      {filled && <Filled {...filled} />}
      <div>
        <TemplateInput {...choosable} value={form.event} choose={(event) => change({ event })} />
        {mapped && template && (
          <p className={styles.hint}>
            {template.name}, {mapped.version}{' '}
            <Link to="/templates/$id" params={{ id: mapped.id }}>
              {t.edit}
            </Link>
          </p>
        )}
      </div>
      <div>
        <UserInput
          {...choosable}
          label={t.to}
          value={form.to}
          choose={(to = '') => change({ to })}
          type={(to) => change({ to })}
        />
        <p className={styles.hint}>{!isUserUnread && <RecipientHint to={form.to.trim()} user={user} />}</p>
      </div>
      <div>
        <ContactFields {...{ form, change }} />
        <OptionFields {...{ form, change }} />
      </div>
      {mapped && template && (
        <DataFields key={template.id} {...template} data={form.data} setData={(data) => change({ data })} />
      )}
    </>
  )
}

/** That a message has filled the form, and what of it the form does not have. */
function Filled({ leftOut, fieldsLeftOut }: StoredSend) {
  const t = useTexts(fieldTexts)
  const { list } = useFormat()
  const parts = [
    ...leftOut.map((part) => t[part]),
    ...(fieldsLeftOut.length > 0 ? [t.fieldsLeftOut(list(fieldsLeftOut.map(code)))] : []),
  ]
  return (
    <p className={styles.hint}>
      <CodeText text={[t.filled, parts.length > 0 && t.leftOut(list(parts))].filter(Boolean).join(' ')} />
    </p>
  )
}

/** A text field that has choices. */
const choosable = {
  rightSection: <ChevronDownIcon width={16} aria-hidden />,
  rightSectionPointerEvents: 'none' as const,
}

/** Options of a former send, which have no field. */
function FormerOptions({ form: { options }, change }: Pick<SendFieldsProps, 'form' | 'change'>) {
  const t = useTexts(fieldTexts)
  const { list } = useFormat()
  const { routing, topic, profile } = options
  if (!routing && !topic && !profile) return null
  const names = routing?.channels?.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
  const parts = [
    names && t.routing(routing?.method ?? '', list(names)),
    topic && t.topic(topic),
    profile && t.profile(list(Object.keys(profile).map(code))),
  ]
  return (
    <p className={styles.hint}>
      <CodeText text={parts.filter(Boolean).join(' ')} />{' '}
      <Button size="compact-xs" variant="default" onClick={() => change({ options: {} })}>
        {t.withoutOptions}
      </Button>
    </p>
  )
}

/** Values that only the template before reads are not sent with this one. */
function useForgottenData(
  template: ReturnType<typeof useTemplate>,
  { data }: SendForm,
  change: SendFieldsProps['change'],
): void {
  const before = useRef(template)
  useEffect(() => {
    const former = before.current
    before.current = template ?? former
    if (!template || !former || former.id === template.id) return
    const left = withoutFields(data, former.fields, template.fields)
    if (Object.keys(left).length < Object.keys(data).length) change({ data: left })
  })
}

function RecipientHint({ to, user }: { to: string; user: ProfileSummary | undefined }) {
  const t = useTexts(fieldTexts)
  if (to === '') return t.toHint
  if (user) return [user.name, user.email, user.phone_number].filter(Boolean).join(' · ')
  return 'user_id' in recipientOf(to, false) ? t.notStored : t.address
}

function ContactFields({ form, change }: Pick<SendFieldsProps, 'form' | 'change'>) {
  const t = useTexts(fieldTexts)
  const { contact } = form
  const set = (name: keyof typeof contact) => (event: { currentTarget: { value: string } }) =>
    change({ contact: { ...contact, [name]: event.currentTarget.value } })
  return (
    <Fold title={t.contact} isOpenAtFirst={Object.values(contact).some((value) => value !== '')}>
      <div className={styles.pair}>
        <TextInput label={t.email} autoComplete="off" value={contact.email} onChange={set('email')} />
        <TextInput label={t.phone} autoComplete="off" value={contact.phone_number} onChange={set('phone_number')} />
        <TextInput label={t.locale} autoComplete="off" value={contact.locale} onChange={set('locale')} />
      </div>
    </Fold>
  )
}

function OptionFields({ form, change }: Pick<SendFieldsProps, 'form' | 'change'>) {
  const t = useTexts(fieldTexts)
  const { tenant, tags, options } = form
  return (
    <Fold title={t.optionsOf} isOpenAtFirst={tenant + tags !== '' || Object.keys(options).length > 0}>
      <div className={styles.pair}>
        <TextInput
          label={t.tenant}
          value={tenant}
          onChange={(event) => change({ tenant: event.currentTarget.value })}
        />
        <TextInput label={t.tags} value={tags} onChange={(event) => change({ tags: event.currentTarget.value })} />
      </div>
      <FormerOptions {...{ form, change }} />
    </Fold>
  )
}

interface FoldProps {
  title: string
  /** It has values. */
  isOpenAtFirst: boolean
  children: ReactNode
}

function Fold({ title, isOpenAtFirst, children }: FoldProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  return (
    <details className={styles.fold} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {children}
    </details>
  )
}

interface DataFieldsProps {
  fields: readonly DataField[]
  /** The treatment of variables without a value. */
  onMissing: Settings['on_missing_variable']
  data: Record<string, unknown>
  setData(data: Record<string, unknown>): void
}

function DataFields({ fields, onMissing, data, setData }: DataFieldsProps) {
  const t = useTexts(fieldTexts)
  const [form, setForm] = useState<'fields' | 'json'>('fields')
  const fieldset = useRef<HTMLFieldSetElement>(null)
  return (
    <fieldset ref={fieldset} className={styles.data}>
      <legend className="visually-hidden">{t.data}</legend>
      <div className={styles.dataHead}>
        <b aria-hidden>{t.data}</b>
        <span className={styles.hint}>{fields.length === 0 ? t.none : t.variables(fields.length)}</span>
        <SegmentedControl
          size="xs"
          aria-label={t.as}
          value={form}
          // A text that is no JSON yet would be gone in the other form.
          onChange={(next) => focusIncompleteJson(fieldset.current) || setForm(next as 'fields' | 'json')}
          data={[
            { value: 'fields', label: t.fields },
            { value: 'json', label: t.json },
          ]}
        />
      </div>
      {form === 'json' ? (
        <JsonInput
          label={t.json}
          value={Object.keys(data).length === 0 ? undefined : data}
          isValid={(value) => value === undefined || isObject(value)}
          set={(value) => setData(isObject(value) ? value : {})}
        />
      ) : (
        <div className={styles.pair}>
          {fields.map((field) => (
            <Field
              key={field.name}
              {...{ field, onMissing, data }}
              set={(value) => setData(withValue(data, field.path, value))}
            />
          ))}
        </div>
      )}
    </fieldset>
  )
}

interface FieldProps extends Pick<DataFieldsProps, 'onMissing' | 'data'> {
  field: DataField
  set(value: unknown): void
}

function Field({ field, onMissing, data, set }: FieldProps) {
  const t = useTexts(fieldTexts)
  const { name, kind, items, isList, required, path } = field
  const type = isList ? (items.length > 0 ? t.listOf(items.join(', ')) : t.list) : kind === 'json' ? t.object : t[kind]
  const value = valueAt(data, path)
  // While it is edited, a number can be no number: `7.`
  const wasNumber = useRef(typeof value === 'number')
  const meaning = { keep: t.missing, fail: t.fails, empty: t.empty }[onMissing]
  const about = required ? type : `${type}, ${t.optional}`
  if (kind === 'json')
    return (
      <div className={styles.wide}>
        <JsonInput label={`${name} (${about})`} value={value} set={set} />
      </div>
    )
  return (
    <TextInput
      label={
        <>
          {name} <span className={styles.hint}>{about}</span>
        </>
      }
      classNames={{ input: styles.code ?? '' }}
      placeholder={t.noValue}
      autoComplete="off"
      value={textAt(data, field)}
      onChange={(event) => set(typedValue(event.currentTarget.value, kind, wasNumber.current))}
      description={
        isMissing(field, data) && (
          <span className={styles.missing}>
            {meaning} {onMissing === 'keep' && <code>{`{${name}}`}</code>}
          </span>
        )
      }
      inputWrapperOrder={['label', 'input', 'description']}
    />
  )
}
