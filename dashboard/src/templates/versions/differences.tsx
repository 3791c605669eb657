/** Two states of a template beside each other: as words, or as JSON. */
import { useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { CodeEditor } from '../../parts/code/code.tsx'
import { Choice } from '../blocks/block-form.tsx'
import { blockTexts } from '../blocks/fields.ts'
import { type Draft, inputOf } from '../draft/draft-store.ts'
import styles from '../editor.module.css'
import { outlineOf } from './outline.ts'

const differenceTexts = texts({
  en: {
    ...{ as: 'Differences as', words: 'Words', json: 'JSON' },
    ...{ if: 'Shown if', loop: 'Repeated for each of', channels: 'Only on these channels', locales: 'Translations' },
    ...{ name: 'Name', alias: 'Alias', tags: 'Tags', brand: 'Brand', subscription: 'Topic' },
    ...{ routing: 'Routing', settings: 'Settings' },
  },
  de: {
    ...{ as: 'Unterschiede als', words: 'Worte', json: 'JSON' },
    ...{ if: 'Gezeigt, wenn', loop: 'Wiederholt für jedes Element von', channels: 'Nur auf diesen Kanälen' },
    ...{ locales: 'Übersetzungen', name: 'Name', alias: 'Alias', tags: 'Schlagworte', brand: 'Marke' },
    ...{ subscription: 'Thema', routing: 'Kanäle', settings: 'Versand' },
  },
})

const jsonOf = (draft: Draft) => JSON.stringify(inputOf(draft), null, 2)
export const areSame = (before: Draft, after: Draft) => jsonOf(before) === jsonOf(after)

export interface DifferencesProps {
  label: string
  /** Undefined where there is nothing to compare with. */
  before: Draft | undefined
  after: Draft
  maxHeight: string
}

export function Differences({ label, before, after, maxHeight }: DifferencesProps) {
  const t = useTexts(differenceTexts)
  const blocks = useTexts(blockTexts)
  const [form, setForm] = useState<'words' | 'json'>('words')
  const outline = (draft: Draft) => outlineOf(draft, { ...t, ...blocks })
  const text = form === 'words' ? outline : jsonOf
  return (
    <div className={styles.stack}>
      <Choice
        label={t.as}
        value={form}
        options={[['words', t.words] as const, ['json', t.json] as const]}
        choose={setForm}
      />
      <CodeEditor
        key={form}
        label={label}
        language={form === 'words' ? 'text' : 'json'}
        readOnly
        value={text(after)}
        {...(before && { original: text(before) })}
        maxHeight={maxHeight}
      />
    </div>
  )
}
