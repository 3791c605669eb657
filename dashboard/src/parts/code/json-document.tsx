/** A document as JSON, in step with what else shows it: typed text stays as it was written until that changes it. */
import { useState } from 'react'
import styles from './code.module.css'
import { CodeEditor, type CodeEditorProps } from './code.tsx'

export interface JsonDocumentProps extends Pick<CodeEditorProps, 'label' | 'minHeight' | 'maxHeight'> {
  json: string
  isReadOnly: boolean
  /** The reason why a text is no such document, or the JSON that the document has after the text is taken over. */
  read(text: string): { error: string } | { json: string; apply(): void }
}

export function JsonDocument({ json, isReadOnly, read, ...editor }: JsonDocumentProps) {
  const [typed, setTyped] = useState<{ text: string; json: string }>()
  const shown = typed?.json === json ? typed.text : undefined
  const reading = shown === undefined ? undefined : read(shown)
  return (
    <div className={styles.input}>
      {reading && 'error' in reading && (
        <p role="alert" className={styles.error}>
          {reading.error}
        </p>
      )}
      <CodeEditor
        {...editor}
        readOnly={isReadOnly}
        value={shown ?? json}
        onChange={(text) => {
          const next = read(text)
          setTyped({ text, json: 'error' in next ? json : next.json })
          if (!('error' in next)) next.apply()
        }}
      />
    </div>
  )
}
