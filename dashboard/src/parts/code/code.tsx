/** Code: an editor or a reader of JSON and text, and samples to copy. */
import { Button, Tabs } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { EditorOptions } from '../../editor/editor.ts'
import { useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useColorScheme } from '../color-scheme.ts'
import { useCopy } from '../copyable.tsx'
import { useShortcuts } from '../shortcuts.tsx'
import { TabList } from '../tab-bar.tsx'
import styles from './code.module.css'

export interface CodeEditorProps extends Pick<EditorOptions, 'label' | 'readOnly' | 'original' | 'completions'> {
  value: string
  language?: EditorOptions['language']
  onChange?(value: string): void
  /** CSS lengths; between them the editor is as high as its text. */
  minHeight?: string
  maxHeight?: string
}

export function CodeEditor({
  value,
  language = 'json',
  onChange,
  minHeight = '80px',
  maxHeight = '60vh',
  ...options
}: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<import('../../editor/editor.ts').Editor | undefined>(undefined)
  const latest = useRef({ value, onChange, options })
  latest.current = { value, onChange, options }
  const { isDark } = useColorScheme()
  const { original } = options
  useEffect(() => {
    let isGone = false
    void import('../../editor/editor.ts').then(({ createEditor }) => {
      if (isGone || !host.current) return
      editor.current = createEditor({
        ...{ host: host.current, isDark, language, value: latest.current.value },
        ...{ ...latest.current.options, original },
        change: (next) => latest.current.onChange?.(next),
      })
    })
    return () => {
      isGone = true
      editor.current?.destroy()
      editor.current = undefined
    }
  }, [isDark, language, original])
  useEffect(() => editor.current?.setValue(value), [value])
  return <div ref={host} data-editor className={styles.editor} style={{ minHeight, maxHeight }} />
}

export const JsonView = ({ label, value, maxHeight }: { label: string; value: unknown; maxHeight?: string }) => (
  <CodeEditor label={label} readOnly value={JSON.stringify(value, null, 2) ?? ''} {...(maxHeight && { maxHeight })} />
)

export interface Sample {
  title: string
  code: string
}

/** The same call in several languages, to copy and run; `c` copies the one that is shown. */
export function Samples({ label, samples }: { label: string; samples: readonly Sample[] }) {
  const t = useTexts(words)
  const { isCopied, copy } = useCopy()
  const [title, setTitle] = useState(samples[0]?.title ?? '')
  const code = samples.find((sample) => sample.title === title)?.code ?? ''
  useShortcuts([{ keys: 'c', label: t.copy, act: () => void copy(code) }])
  return (
    <Tabs value={title} onChange={(next) => next !== null && setTitle(next)} className={styles.samples}>
      <div className={styles.samplesHead}>
        <TabList label={label} tabs={samples.map(({ title }) => ({ name: title, title }))} value={title} />
        <Button
          size="compact-sm"
          variant="subtle"
          rightSection={<kbd aria-hidden>C</kbd>}
          onClick={() => void copy(code)}
        >
          {isCopied ? t.copied : t.copy}
        </Button>
      </div>
      {samples.map(({ title, code }) => (
        <Tabs.Panel key={title} value={title}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
          <pre tabIndex={0} role="region" aria-label={title}>
            <code>{code}</code>
          </pre>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

export function SampleCode({ code, label }: { code: string; label: string }) {
  const t = useTexts(words)
  const { isCopied, copy } = useCopy()
  return (
    <div className={styles.sample}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{code}</code>
      </pre>
      <Button size="compact-sm" variant="default" onClick={() => void copy(code)}>
        {isCopied ? t.copied : t.copy}
      </Button>
    </div>
  )
}
