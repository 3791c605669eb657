/** All pages of a list as one file; it can be stopped, and stops with the page. */
import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction } from '../parts/confirm.tsx'
import { csvOf, saveBlob } from '../parts/csv.ts'
import { useFormat } from '../parts/time.tsx'
import styles from './bulk.module.css'

const downloadTexts = texts({
  en: { save: 'Download as CSV', saving: (count: string) => `${count} rows read` },
  de: { save: 'Als CSV herunterladen', saving: (count: string) => `${count} Zeilen gelesen` },
})

export interface DownloadProps {
  name: string
  head: readonly string[]
  rows(signal: AbortSignal): AsyncIterable<readonly string[]>
}

export function Download({ name, head, rows }: DownloadProps) {
  const t = useTexts(words)
  const labels = useTexts(downloadTexts)
  const format = useFormat()
  const [count, setCount] = useState(0)
  const stopping = useRef<AbortController>(undefined)
  useEffect(() => () => stopping.current?.abort(), [])
  const save = useAction({
    act: async () => {
      const controller = new AbortController()
      stopping.current = controller
      setCount(0)
      try {
        saveBlob(name, await csvOf(head, rows(controller.signal), setCount))
      } catch (error) {
        if (!controller.signal.aborted) throw error
      }
    },
  })
  return (
    <div className={styles.tools}>
      <span className={styles.small} role="status">
        {save.isPending && labels.saving(format.number(count))}
      </span>
      {save.isPending && (
        <Button variant="subtle" size="compact-sm" onClick={() => stopping.current?.abort()}>
          {t.cancel}
        </Button>
      )}
      <Button variant="default" size="compact-sm" loading={save.isPending} onClick={() => save.mutate()}>
        {labels.save}
      </Button>
    </div>
  )
}
