/** The form of one block: a control for each field of its type, its conditions, and its JSON. */
import { Button, ColorSwatch, SegmentedControl, Switch, Textarea, TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { fieldText, isObject } from '../../parts/code/json.ts'
import { JsonInput } from '../../parts/code/json-input.tsx'
import styles from '../editor.module.css'
import { type Block, type ElementType, elementOf, type Fields } from './blocks.ts'
import { blockTexts, type FieldKind, type FieldName, fieldsOfType, rareFields } from './fields.ts'

const formTexts = texts({
  en: {
    conditions: 'Conditions and loop',
    json: 'As JSON',
    form: 'As a form',
    if: 'Shown if',
    ifHint: 'An expression: data.total >= 100',
    loop: 'Repeated for each of',
    loopHint: 'An expression that gives a list: data.items',
    ref: 'Name for later conditions',
    refHint: 'refs.<name>.visible is whether it was shown',
    id: 'Id',
    idHint: 'For translations and replacement',
    channels: 'Only on these channels',
    channelsHint: 'Separated by commas: email, sms',
    default: 'default',
    unknown: (type: string) => `The type ${type} has no form. It is kept as it is and left out of what is sent.`,
  },
  de: {
    conditions: 'Bedingungen und Schleife',
    json: 'Als JSON',
    form: 'Als Formular',
    if: 'Gezeigt, wenn',
    ifHint: 'Ein Ausdruck: data.total >= 100',
    loop: 'Wiederholt für jedes Element von',
    loopHint: 'Ein Ausdruck, der eine Liste ergibt: data.items',
    ref: 'Name für spätere Bedingungen',
    refHint: 'refs.<Name>.visible sagt, ob es gezeigt wurde',
    id: 'Id',
    idHint: 'Für Übersetzungen und Ersetzungen',
    channels: 'Nur auf diesen Kanälen',
    channelsHint: 'Durch Kommas getrennt: email, sms',
    default: 'Vorgabe',
    unknown: (type: string) =>
      `Für den Typ ${type} gibt es kein Formular. Er bleibt unverändert und fehlt in dem, was gesendet wird.`,
  },
})

export interface BlockFormProps {
  block: Block
  /** A field that is undefined is removed. */
  set(fields: Record<string, unknown>, name: string): void
  replace(element: Fields): void
  isReadOnly: boolean
}

/** A field that an author empties is absent, unless its type demands it. */
const requiredFields: readonly string[] = ['content', 'href', 'src', 'channel', 'title']

export function BlockForm({ block, set, replace, isReadOnly }: BlockFormProps) {
  const t = useTexts(formTexts)
  const labels = useTexts(blockTexts)
  const { fields } = block
  const kinds: Record<string, FieldKind> | undefined = fieldsOfType[fields.type as ElementType]
  const form = useRef<HTMLDivElement>(null)
  // A block that was pressed takes what is typed; one that the address opens leaves the focus where it is.
  useEffect(() => {
    if (document.activeElement === document.body) return
    const field = form.current?.querySelector<HTMLElement>('textarea, input')
    if (field instanceof HTMLTextAreaElement) field.setSelectionRange(field.value.length, field.value.length)
    field?.focus()
  }, [])
  const [isJson, setJson] = useState(!kinds)
  const hasControl = ['if', 'loop', 'ref', 'id', 'channels'].some((name) => fields[name] !== undefined)
  const [areConditionsOpen, setConditionsOpen] = useState(hasControl)
  const visibleFields = Object.entries(kinds ?? {}).filter(
    ([name, kind]) =>
      kind !== 'nested' &&
      (!rareFields.includes(name as FieldName) || fields[name] !== undefined || name === 'provider'),
  )
  const wide = visibleFields.filter(
    ([, kind]) => kind === 'words' || kind === 'code' || kind === 'line' || kind === 'json' || kind === 'url',
  )
  const narrow = visibleFields.filter((entry) => !wide.includes(entry))
  const control = ([name, kind]: [string, FieldKind]) => (
    <FieldControl
      key={name}
      label={labels[`field_${name as FieldName}`]}
      kind={kind}
      value={fields[name]}
      isReadOnly={isReadOnly}
      standard={t.default}
      set={(value) => set({ [name]: value === '' && !requiredFields.includes(name) ? undefined : value }, name)}
    />
  )
  const expression = (name: 'if' | 'loop' | 'ref' | 'id', hint: string) => (
    <TextInput
      size="xs"
      label={t[name]}
      description={hint}
      readOnly={isReadOnly}
      spellCheck={false}
      classNames={{ input: styles.code }}
      value={fieldText(fields[name])}
      onChange={(event) => set({ [name]: event.currentTarget.value || undefined }, name)}
    />
  )
  return (
    <div ref={form} className={styles.form}>
      {!kinds && <p className={styles.hint}>{t.unknown(fields.type)}</p>}
      {isJson ? (
        <ElementJson block={block} replace={replace} isReadOnly={isReadOnly} />
      ) : (
        <>
          {wide.map(control)}
          {narrow.length > 0 && <div className={styles.narrow}>{narrow.map(control)}</div>}
        </>
      )}
      {areConditionsOpen && !isJson && (
        <div className={styles.conditions}>
          {expression('if', t.ifHint)}
          {expression('loop', t.loopHint)}
          {expression('ref', t.refHint)}
          {expression('id', t.idHint)}
          <ListInput
            label={t.channels}
            description={t.channelsHint}
            value={fields.channels}
            isReadOnly={isReadOnly}
            set={(channels) => set({ channels: channels.length > 0 ? channels : undefined }, 'channels')}
          />
        </div>
      )}
      <div className={styles.formFoot}>
        {!isJson && (
          <Button
            size="compact-xs"
            variant="subtle"
            aria-expanded={areConditionsOpen}
            onClick={() => setConditionsOpen(!areConditionsOpen)}
          >
            {t.conditions}
          </Button>
        )}
        {kinds && (
          <Button size="compact-xs" variant="subtle" onClick={() => setJson(!isJson)}>
            {isJson ? t.form : t.json}
          </Button>
        )}
      </div>
    </div>
  )
}

interface FieldControlProps {
  label: string
  kind: FieldKind
  value: unknown
  isReadOnly: boolean
  standard: string
  set(value: unknown): void
}

function FieldControl({ label, kind, value, isReadOnly, standard, set }: FieldControlProps): ReactNode {
  const text = fieldText(value)
  if (kind === 'flag')
    return (
      <Switch
        size="xs"
        label={label}
        disabled={isReadOnly}
        checked={value === true || value === 'true'}
        onChange={(event) => set(event.currentTarget.checked || undefined)}
      />
    )
  if (kind === 'words' || kind === 'code')
    return (
      <Textarea
        autosize
        minRows={kind === 'code' ? 4 : 1}
        maxRows={24}
        label={label}
        readOnly={isReadOnly}
        classNames={kind === 'code' ? { input: styles.code ?? '' } : {}}
        spellCheck={kind === 'words'}
        value={text}
        onChange={(event) => set(event.currentTarget.value)}
      />
    )
  if (kind === 'json') return <JsonInput label={label} value={value} isReadOnly={isReadOnly} set={set} />
  if (typeof kind === 'object')
    return (
      <label className={styles.choice}>
        <span>{label}</span>
        <select value={text} disabled={isReadOnly} onChange={(event) => set(event.currentTarget.value || undefined)}>
          <option value="">{standard}</option>
          {[...new Set([...kind, ...(text === '' ? [] : [text])])].map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
    )
  return (
    <TextInput
      size="xs"
      label={label}
      readOnly={isReadOnly}
      spellCheck={kind === 'line'}
      classNames={kind === 'url' ? { input: styles.code ?? '' } : {}}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
      {...(kind === 'color' && { placeholder: '#0b6e4f', rightSection: <Swatch color={text} /> })}
      {...(kind === 'width' && { placeholder: '50%' })}
    />
  )
}

/** Only what is a color is drawn: the value is free text with variables. */
const isColor = (text: string) => /^#[0-9a-f]{3,8}$/i.test(text) || (text !== '' && CSS.supports('color', text))

const Swatch = ({ color }: { color: string }) => (isColor(color) ? <ColorSwatch color={color} size={14} /> : null)

interface ListInputProps {
  label: string
  description: string
  value: unknown
  isReadOnly: boolean
  set(values: string[]): void
}

function ListInput({ label, description, value, isReadOnly, set }: ListInputProps) {
  const [text, setText] = useState(Array.isArray(value) ? value.join(', ') : '')
  return (
    <TextInput
      size="xs"
      label={label}
      description={description}
      readOnly={isReadOnly}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        set(
          event.currentTarget.value
            .split(',')
            .map((each) => each.trim())
            .filter((each) => each !== ''),
        )
      }}
    />
  )
}

const isElement = (value: unknown): value is Fields => isObject(value) && typeof value.type === 'string'

function ElementJson({ block, replace, isReadOnly }: Pick<BlockFormProps, 'block' | 'replace' | 'isReadOnly'>) {
  return (
    <JsonInput
      label="JSON"
      value={elementOf(block)}
      isReadOnly={isReadOnly}
      isValid={isElement}
      set={(value) => isElement(value) && replace(value)}
    />
  )
}

/** Choices of a few words beside each other. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  choose,
}: {
  label: string
  value: Value
  options: readonly (readonly [value: Value, label: string])[]
  choose(value: NoInfer<Value>): void
}) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={label}
      value={value}
      onChange={(next) => choose(next as Value)}
      data={options.map(([each, text]) => ({ value: each, label: text }))}
    />
  )
}
