/** A field of JSON: what is typed is kept while it is no JSON, and a value from elsewhere replaces it. */
import { useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import styles from './code.module.css'
import { CodeEditor } from './code.tsx'

const inputTexts = texts({
  en: { malformed: 'Not valid JSON of this kind yet; the last valid value is kept.' },
  de: { malformed: 'Noch kein gültiges JSON dieser Art; der letzte gültige Wert gilt.' },
})

export interface JsonInputProps {
  label: string
  description?: string
  value: unknown
  isReadOnly?: boolean
  /** An emptied field is undefined. */
  set(value: unknown): void
  isValid?(value: unknown): boolean
}

export function JsonInput({
  label,
  description,
  value,
  isReadOnly = false,
  set,
  isValid = () => true,
}: JsonInputProps) {
  const t = useTexts(inputTexts)
  const json = value === undefined ? '' : JSON.stringify(value, null, 2)
  const [typed, setTyped] = useState<string>()
  const parsed = typed === undefined ? undefined : parse(typed)
  const isInvalid = typed !== undefined && (parsed === undefined || !isValid(parsed.value))
  const isAsTyped = typed !== undefined && (isInvalid || (JSON.stringify(parsed?.value, null, 2) ?? '') === json)
  return (
    <div className={styles.input} data-invalid={isInvalid}>
      <span className={styles.label}>{label}</span>
      {description !== undefined && <span className={styles.description}>{description}</span>}
      <CodeEditor
        label={label}
        readOnly={isReadOnly}
        value={isAsTyped ? typed : json}
        maxHeight="320px"
        onChange={(text) => {
          setTyped(text)
          const next = parse(text)
          if (next && isValid(next.value)) set(next.value)
        }}
      />
      {isInvalid && (
        <p role="alert" className={styles.error}>
          {t.malformed}
        </p>
      )}
    </div>
  )
}

/** False where every text is the JSON that its field holds; otherwise the first that is not gets the focus. */
export function focusIncompleteJson(within: ParentNode | null | undefined): boolean {
  const incomplete = within?.querySelector('[data-invalid="true"] [data-editor]')
  incomplete?.shadowRoot?.querySelector<HTMLElement>('[contenteditable]')?.focus()
  return Boolean(incomplete)
}

function parse(text: string): { value: unknown } | undefined {
  if (text.trim() === '') return { value: undefined }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
