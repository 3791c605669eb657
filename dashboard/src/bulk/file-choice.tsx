/** A CSV file that is dropped or chosen, opened as far as its header and its first rows. */
import { Button, FileButton } from '@mantine/core'
import { type DragEvent, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { CsvError, type CsvFile, type CsvRow, openCsv } from '../parts/csv.ts'
import { messageOf } from '../parts/states.tsx'
import { useFormat } from '../parts/time.tsx'
import styles from './bulk.module.css'
import { digestOf } from './upload.ts'

/** Larger files are for the command: the ids of all users are kept to find those that occur twice. */
const FILE_BYTES_MAX = 200_000_000
const SAMPLES = 20

const fileTexts = texts({
  en: {
    drop: 'Drop a CSV file here, or',
    choose: 'Choose a file',
    other: 'Choose another file',
    tooLarge: (limit: string) => `The file has more than ${limit}. Send it by postrider bulk send.`,
    noHeader: 'The file has no line.',
    quote: (line: string) => `A quote in line ${line} is not closed.`,
  },
  de: {
    drop: 'Eine CSV-Datei hier ablegen, oder',
    choose: 'Datei wählen',
    other: 'Andere Datei wählen',
    tooLarge: (limit: string) => `Die Datei hat mehr als ${limit}. Sie lässt sich mit postrider bulk send senden.`,
    noHeader: 'Die Datei hat keine Zeile.',
    quote: (line: string) => `Ein Anführungszeichen in Zeile ${line} wird nicht geschlossen.`,
  },
})

export interface ChosenFile {
  name: string
  csv: CsvFile
  samples: readonly CsvRow[]
  digest: string
}

export interface FileChoiceProps {
  label: string
  name: string | undefined
  isReadOnly: boolean
  choose(file: ChosenFile): void
}

export function FileChoice({ label, name, isReadOnly, choose }: FileChoiceProps) {
  const t = useTexts(fileTexts)
  const format = useFormat()
  const errorText = useErrorText()
  const [isOver, setOver] = useState(false)
  const [errorMessage, setError] = useState<string>()
  const open = async (file: File | null | undefined) => {
    setError(undefined)
    if (!file) return
    if (file.size > FILE_BYTES_MAX) return setError(t.tooLarge(format.bytes(FILE_BYTES_MAX)))
    try {
      const csv = await openCsv(file)
      if (csv.header.length === 0) return setError(t.noHeader)
      const { value } = await csv.parts().next()
      const samples = value ? value.rows.slice(0, SAMPLES) : []
      choose({ name: file.name, csv, samples, digest: digestOf([file.name, file.size, file.lastModified]) })
    } catch (error) {
      setError(errorText(error))
    }
  }
  const drag = (next: boolean) => (event: DragEvent) => {
    event.preventDefault()
    setOver(next)
  }
  return (
    <section
      className={styles.drop}
      data-over={isOver}
      aria-label={label}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event)
        if (!isReadOnly) void open(event.dataTransfer.files[0])
      }}
    >
      {name ? <strong>{name}</strong> : <span className={styles.dim}>{t.drop}</span>}
      <FileButton accept=".csv,.tsv,text/csv,text/plain" disabled={isReadOnly} onChange={(file) => void open(file)}>
        {(props) => (
          <Button variant="default" {...props} disabled={isReadOnly}>
            {name ? t.other : t.choose}
          </Button>
        )}
      </FileButton>
      {errorMessage && (
        <p className={styles.error} role="alert">
          {errorMessage}
        </p>
      )}
    </section>
  )
}

/** The reason why a file cannot be read. */
export function useErrorText(): (error: unknown) => string {
  const t = useTexts(fileTexts)
  const format = useFormat()
  return (error) => (error instanceof CsvError ? t.quote(format.number(error.line)) : messageOf(error))
}
