/** Code: an editor or a reader of JSON and text, and samples to copy. */
import { Button, Tabs } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { EditorOptions } from '../../editor/editor.ts'
import { useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useColorScheme } from '../color-scheme.ts'
import { useCopy } from '../copyable.tsx'
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
  return <div ref={host} className={styles.editor} style={{ minHeight, maxHeight }} />
}

export const JsonView = ({ label, value, maxHeight }: { label: string; value: unknown; maxHeight?: string }) => (
  <CodeEditor label={label} readOnly value={JSON.stringify(value, null, 2) ?? ''} {...(maxHeight && { maxHeight })} />
)

export interface Sample {
  title: string
  code: string
}

/** The same call in several languages, to copy and run. */
export function Samples({ samples }: { samples: readonly Sample[] }) {
  return (
    <Tabs defaultValue={samples[0]?.title ?? ''} variant="outline" className={styles.samples}>
      <Tabs.List>
        {samples.map(({ title }) => (
          <Tabs.Tab key={title} value={title}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ title, code }) => (
        <Tabs.Panel key={title} value={title}>
          <SampleCode code={code} label={title} />
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
