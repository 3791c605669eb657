/** The form of one step: a control for each field of its action, its condition and its name, or its JSON. */
import { Button, NativeSelect, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { NameInput } from '../names/name-input.tsx'
import { fieldText, isObject } from '../parts/code/json.ts'
import { JsonInput } from '../parts/code/json-input.tsx'
import styles from './automations.module.css'
import { type Fields, valueAt, withValue } from './draft.ts'
import { isAction, type StepField, stepFields, stepTexts } from './step-fields.ts'

const formTexts = texts({
  en: {
    if: 'Only if',
    ifHint: 'An expression: profile.plan === "free". The step is skipped when it is not true.',
    ref: 'Name for later steps',
    refHint: 'They see its result as refs.<name>.',
    more: (count: number) => `More fields (${count})`,
    fewer: 'Fewer fields',
    json: 'As JSON',
    form: 'As a form',
    default: 'default',
    step: 'The step as JSON',
    hint: 'Texts may hold ${data.name}, ${profile.city}, ${recipient} and ${refs.name.status}.',
    unknown: 'This action has no form.',
  },
  de: {
    if: 'Nur wenn',
    ifHint: 'Ein Ausdruck: profile.plan === "free". Ist er nicht wahr, wird der Schritt ausgelassen.',
    ref: 'Name für spätere Schritte',
    refHint: 'Sie sehen sein Ergebnis als refs.<Name>.',
    more: (count: number) => `Weitere Felder (${count})`,
    fewer: 'Weniger Felder',
    json: 'Als JSON',
    form: 'Als Formular',
    default: 'Vorgabe',
    step: 'Der Schritt als JSON',
    hint: 'Texte können ${data.name}, ${profile.city}, ${recipient} und ${refs.name.status} enthalten.',
    unknown: 'Für diese Aktion gibt es kein Formular.',
  },
})

export interface StepFormProps {
  fields: Fields
  isReadOnly: boolean
  /** Changes of one name that follow each other are one step of undo. */
  change(fields: Fields, name: string): void
}

export function StepForm({ fields, isReadOnly, change }: StepFormProps) {
  const t = useTexts(formTexts)
  const { action } = fields
  const hasForm = isAction(action)
  const [isJson, setJson] = useState(false)
  const [hasAll, setAll] = useState(false)
  const controls = hasForm ? stepFields(action) : []
  const shown = controls.filter(({ isUsual, path }) => isUsual || valueAt(fields, path) !== undefined)
  const folded = controls.filter((control) => !shown.includes(control))
  const line = (name: 'if' | 'ref', description: string) => (
    <TextInput
      label={t[name]}
      description={description}
      inputWrapperOrder={['label', 'input', 'description']}
      readOnly={isReadOnly}
      spellCheck={false}
      classNames={{ input: styles.code ?? '' }}
      value={fieldText(fields[name])}
      onChange={(event) => change(withValue(fields, [name], event.currentTarget.value || undefined), name)}
    />
  )
  if (isJson || !hasForm)
    return (
      <div className={styles.form}>
        {!hasForm && <p className={styles.dim}>{t.unknown}</p>}
        <JsonInput
          label={t.step}
          value={fields}
          isReadOnly={isReadOnly}
          isValid={isObject}
          set={(value) => isObject(value) && change(value, 'json')}
        />
        {hasForm && (
          <div>
            <Button size="compact-sm" variant="subtle" onClick={() => setJson(false)}>
              {t.form}
            </Button>
          </div>
        )}
      </div>
    )
  return (
    <div className={styles.form}>
      {[...shown, ...(hasAll ? folded : [])].map((field) => (
        <StepControl
          key={field.name}
          field={field}
          value={valueAt(fields, field.path)}
          isReadOnly={isReadOnly}
          set={(value) => change(withValue(fields, field.path, value), field.name)}
        />
      ))}
      <div className={styles.pairs}>
        {line('if', t.ifHint)}
        {line('ref', t.refHint)}
      </div>
      <p className={styles.small}>{t.hint}</p>
      <div className={styles.formFoot}>
        {folded.length > 0 && (
          <Button size="compact-sm" variant="subtle" aria-expanded={hasAll} onClick={() => setAll(!hasAll)}>
            {hasAll ? t.fewer : t.more(folded.length)}
          </Button>
        )}
        <Button size="compact-sm" variant="subtle" onClick={() => setJson(true)}>
          {t.json}
        </Button>
      </div>
    </div>
  )
}

interface StepControlProps {
  field: StepField
  value: unknown
  isReadOnly: boolean
  set(value: unknown): void
}

function StepControl({ field: { name, kind, placeholder }, value, isReadOnly, set }: StepControlProps) {
  const t = useTexts(formTexts)
  const label = useTexts(stepTexts)[name]
  const text = fieldText(value)
  const setText = (next: string) => set(next === '' ? undefined : next)
  // A reference or an object where a text is usual has no other form than its JSON.
  if (kind === 'json' || (typeof value === 'object' && value !== null))
    return <JsonInput label={label} value={value} isReadOnly={isReadOnly} set={set} />
  if (kind === 'flag')
    return (
      <Switch
        label={label}
        disabled={isReadOnly}
        checked={value === true}
        onChange={(event) => set(event.currentTarget.checked || undefined)}
      />
    )
  if (typeof kind === 'object')
    return (
      <NativeSelect
        label={label}
        disabled={isReadOnly}
        value={text}
        data={[{ value: '', label: t.default }, ...new Set([...kind, ...(text === '' ? [] : [text])])]}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    )
  const common = { label, readOnly: isReadOnly, spellCheck: false, ...(placeholder !== undefined && { placeholder }) }
  if (kind === 'line' || kind === 'number')
    return (
      <TextInput
        {...common}
        value={text}
        inputMode={kind === 'number' ? 'numeric' : 'text'}
        onChange={({ currentTarget: { value: next } }) =>
          kind === 'number' && /^[1-9]\d{0,8}$/.test(next) ? set(Number(next)) : setText(next)
        }
      />
    )
  return <NameInput {...common} kind={kind} value={text} onChange={setText} />
}
