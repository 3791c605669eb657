/** One brand: a form of its settings beside a mail that shows them before they take effect. */
import { Button, NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Brand, BrandWrite } from '@postrider/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { CodeEditor } from '../parts/code/code.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { MailFrame } from '../parts/content/mail-frame.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import { Page, Section } from '../parts/page.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Failed, Loading, messageOf } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import styles from './brands.module.css'
import { type Field, fieldTexts, groups, valueAt, withValue } from './fields.ts'
import { sampleMail } from './sample.ts'

const TYPED_MS = 350

const brandTexts = texts({
  en: {
    needsEditor: 'This renders a mail, which needs a key of the role editor.',
    brand: 'Brand',
    save: 'Save brand',
    saved: 'The brand is saved',
    unsaved: 'Not saved yet',
    discard: 'Discard changes',
    default: 'default',
    makeDefault: 'Make it the default',
    makeDefaultText: 'Messages and templates without a brand use it from now on.',
    madeDefault: 'It is the default now',
    delete: 'Delete brand',
    deleteText: 'Templates and sends that name it use the default brand from now on. This cannot be undone.',
    deleted: 'The brand is deleted',
    snippets: 'Snippets',
    snippetsHint: 'Texts that templates include as {{>name}}: a list of objects with "name" and "value".',
    invalid: 'Not a valid list of snippets; the last valid one is kept.',
    preview: 'Preview',
    standard: 'default',
    picked: 'Pick a color',
  },
  de: {
    needsEditor: 'Dies stellt eine Mail dar; dazu braucht es einen Schlüssel der Rolle Editor.',
    brand: 'Marke',
    save: 'Marke speichern',
    saved: 'Die Marke ist gespeichert',
    unsaved: 'Noch nicht gespeichert',
    discard: 'Änderungen verwerfen',
    default: 'Vorgabe',
    makeDefault: 'Zur Vorgabe machen',
    makeDefaultText: 'Nachrichten und Vorlagen ohne Marke nehmen sie ab jetzt.',
    madeDefault: 'Sie ist jetzt die Vorgabe',
    delete: 'Marke löschen',
    deleteText:
      'Vorlagen und Sendungen, die sie nennen, nehmen ab jetzt die Vorgabe. Das ist nicht rückgängig zu machen.',
    deleted: 'Die Marke ist gelöscht',
    snippets: 'Textbausteine',
    snippetsHint: 'Texte, die Vorlagen als {{>name}} einfügen: eine Liste von Objekten mit "name" und "value".',
    invalid: 'Keine gültige Liste von Textbausteinen; die letzte gültige gilt.',
    preview: 'Vorschau',
    standard: 'Vorgabe',
    picked: 'Farbe wählen',
  },
})

type BrandDraft = Required<Pick<BrandWrite, 'name' | 'settings' | 'snippets'>>
const draftOf = ({ name, settings, snippets }: Brand): BrandDraft => ({ name, settings, snippets })
const isSame = (a: BrandDraft, b: BrandDraft) => JSON.stringify(a) === JSON.stringify(b)

export function BrandScreen() {
  const { id } = useParams({ from: '/brands/$id' })
  const screenLabels = useTexts(brandTexts)
  const query = useQuery({
    queryKey: ['brands', 'one', id],
    queryFn: ({ signal }) => api.brands.get(id, { signal }),
  })
  if (query.data) return <BrandEditor key={id} brand={query.data} />
  return (
    <Page title={screenLabels.brand}>
      {query.isPending ? <Loading rows={12} /> : <Failed error={query.error} retry={query.refetch} />}
    </Page>
  )
}

function BrandEditor({ brand }: { brand: Brand }) {
  const { id } = brand
  const t = useTexts(words)
  const screenLabels = useTexts(brandTexts)
  const labels = useTexts(fieldTexts)
  const navigate = useNavigate()
  const confirm = useConfirm()
  const { canEditContent } = usePermissions()
  const [draft, setDraft] = useState(() => draftOf(brand))
  const base = draftOf(brand)
  const isDirty = !isSame(draft, base)
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (isDirty) event.preventDefault()
    }
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isDirty])
  const changes = [['brands']]
  const save = useAction({
    act: () => api.brands.replace(id, draft),
    done: screenLabels.saved,
    undo: async () => {
      await api.brands.replace(id, base)
      setDraft(base)
    },
    changes,
  })
  const makeDefault = useAction({
    act: () => api.brands.replace(id, { name: brand.name, default: true }),
    done: screenLabels.madeDefault,
    changes,
  })
  const remove = useAction({
    act: () => api.brands.delete(id),
    done: screenLabels.deleted,
    changes,
    after: () => void navigate({ to: '/brands' }),
  })
  useShortcuts([{ keys: 'mod+s', label: screenLabels.save, act: () => isDirty && canEditContent && save.mutate() }])
  const set = (path: readonly string[], value: unknown) =>
    setDraft((before) => ({ ...before, settings: withValue(before.settings ?? {}, path, value) }))
  const label = (name: Field['label']) =>
    name in labels ? labels[name as keyof typeof labels] : name[0]?.toUpperCase() + name.slice(1)
  return (
    <Page
      title={brand.name}
      badge={
        <>
          {brand.default && <Tag tone="good">{screenLabels.default}</Tag>}
          <CopyableId id={id} />
        </>
      }
      actions={
        canEditContent && (
          <>
            {isDirty && <span className={styles.unsaved}>{screenLabels.unsaved}</span>}
            {isDirty && (
              <Button variant="default" onClick={() => setDraft(base)}>
                {screenLabels.discard}
              </Button>
            )}
            <Button
              disabled={!isDirty || draft.name.trim() === ''}
              loading={save.isPending}
              onClick={() => save.mutate()}
            >
              {screenLabels.save}
            </Button>
          </>
        )
      }
    >
      <div className={styles.editor}>
        <div>
          <Section title={screenLabels.brand}>
            <TextInput
              label={t.name}
              readOnly={!canEditContent}
              value={draft.name}
              maxLength={200}
              onChange={(event) => {
                const name = event.currentTarget.value
                setDraft((before) => ({ ...before, name }))
              }}
            />
          </Section>
          {groups.map(({ title, fields }) => (
            <Section key={title} title={labels[title]}>
              <div className={styles.fields}>
                {fields.map((field) => (
                  <FieldInput
                    key={field.path.join('.')}
                    label={label(field.label)}
                    kind={field.kind}
                    value={valueAt(draft.settings, field.path)}
                    isReadOnly={!canEditContent}
                    set={(value) => set(field.path, value)}
                  />
                ))}
              </div>
            </Section>
          ))}
          <Section title={screenLabels.snippets} description={screenLabels.snippetsHint}>
            <Snippets
              value={draft.snippets?.items ?? []}
              isReadOnly={!canEditContent}
              set={(items) => setDraft((before) => ({ ...before, snippets: { items } }))}
            />
          </Section>
          {canEditContent && !brand.default && (
            <div className={styles.fields}>
              <Button
                variant="default"
                loading={makeDefault.isPending}
                onClick={async () => {
                  const { makeDefault: action, makeDefaultText: text } = screenLabels
                  if (await confirm({ title: action, text, action })) makeDefault.mutate()
                }}
              >
                {screenLabels.makeDefault}
              </Button>
              <Button
                variant="light"
                color="bad"
                loading={remove.isPending}
                onClick={async () => {
                  const { delete: action, deleteText: text } = screenLabels
                  if (await confirm({ title: action, text, action, isDangerous: true })) remove.mutate()
                }}
              >
                {screenLabels.delete}
              </Button>
            </div>
          )}
        </div>
        <aside className={styles.preview} aria-label={screenLabels.preview}>
          {canEditContent ? <BrandMail draft={draft} /> : <p>{screenLabels.needsEditor}</p>}
        </aside>
      </div>
    </Page>
  )
}

interface FieldInputProps {
  label: string
  kind: Field['kind']
  value: unknown
  isReadOnly: boolean
  set(value: unknown): void
}

const HEX = /^#[0-9a-f]{6}$/i

function FieldInput({ label, kind, value, isReadOnly, set }: FieldInputProps) {
  const screenLabels = useTexts(brandTexts)
  const text = typeof value === 'string' ? value : ''
  if (kind === 'pixels')
    return (
      <NumberInput
        label={label}
        min={0}
        allowDecimal={false}
        readOnly={isReadOnly}
        value={typeof value === 'number' ? value : ''}
        onChange={(next) => set(typeof next === 'number' ? next : undefined)}
      />
    )
  if (typeof kind === 'object')
    return (
      <NativeSelect
        label={label}
        disabled={isReadOnly}
        value={text}
        onChange={(event) => set(event.currentTarget.value || undefined)}
        data={[{ value: '', label: screenLabels.standard }, ...kind]}
      />
    )
  if (kind === 'markdown' || kind === 'markup')
    return (
      <Textarea
        autosize
        minRows={3}
        maxRows={16}
        className={styles.wide}
        label={label}
        readOnly={isReadOnly}
        spellCheck={kind === 'markdown'}
        value={text}
        onChange={(event) => set(event.currentTarget.value || undefined)}
      />
    )
  return (
    <TextInput
      label={label}
      readOnly={isReadOnly}
      spellCheck={false}
      value={text}
      onChange={(event) => set(event.currentTarget.value || undefined)}
      {...(kind === 'color' && {
        placeholder: '#0b6e4f',
        rightSection: (
          <input
            type="color"
            className={styles.color}
            aria-label={`${screenLabels.picked}: ${label}`}
            disabled={isReadOnly}
            value={HEX.test(text) ? text : '#ffffff'}
            onChange={(event) => set(event.currentTarget.value)}
          />
        ),
      })}
      {...(kind === 'url' && { placeholder: 'https://' })}
    />
  )
}

type Snippet = NonNullable<NonNullable<BrandDraft['snippets']>['items']>[number]
const areSnippets = (value: unknown): value is Snippet[] =>
  Array.isArray(value) && value.every((each) => typeof each?.name === 'string' && typeof each?.value === 'string')

function Snippets({ value, isReadOnly, set }: { value: Snippet[]; isReadOnly: boolean; set(items: Snippet[]): void }) {
  const screenLabels = useTexts(brandTexts)
  const json = JSON.stringify(value, null, 2)
  const [typed, setTyped] = useState<{ text: string; json: string }>()
  const [isInvalid, setInvalid] = useState(false)
  return (
    <>
      {isInvalid && (
        <p role="alert" className={styles.error}>
          {screenLabels.invalid}
        </p>
      )}
      <CodeEditor
        label={screenLabels.snippets}
        readOnly={isReadOnly}
        value={typed?.json === json ? typed.text : json}
        maxHeight="280px"
        onChange={(text) => {
          try {
            const items: unknown = JSON.parse(text)
            if (!areSnippets(items)) throw new Error('Not a list of snippets')
            setInvalid(false)
            setTyped({ text, json: JSON.stringify(items, null, 2) })
            set(items)
          } catch {
            setInvalid(true)
            setTyped({ text, json })
          }
        }}
      />
    </>
  )
}

function BrandMail({ draft }: { draft: BrandDraft }) {
  const screenLabels = useTexts(brandTexts)
  const [debouncedDraft] = useDebouncedValue(draft, TYPED_MS)
  const preview = useQuery({
    queryKey: ['brand-preview', debouncedDraft],
    queryFn: ({ signal }) => api.brands.preview({ ...debouncedDraft, ...sampleMail }, { signal, retries: 0 }),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 30_000,
    enabled: debouncedDraft.name.trim() !== '',
  })
  const [mail, setMail] = useState(preview.data)
  useEffect(() => {
    // A value that is refused while it is typed leaves the last mail.
    if (preview.data) setMail(preview.data)
  }, [preview.data])
  return (
    <>
      {preview.isError && (
        <p role="alert" className={styles.error}>
          {messageOf(preview.error)}
        </p>
      )}
      {!mail && preview.isPending && <Loading rows={8} />}
      {mail && (
        <div className={preview.isPlaceholderData || preview.isError ? styles.stale : undefined}>
          {mail.warnings.length > 0 && (
            <ul className={styles.warnings}>
              {mail.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          )}
          <p className={styles.subject}>{mail.subject}</p>
          <MailFrame html={mail.html} title={screenLabels.preview} />
        </div>
      )}
    </>
  )
}
