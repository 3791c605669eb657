/** Subscribes the users of a CSV file, in batches with progress. */
import { FileInput, Progress, Select } from '@mantine/core'
import { useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { useAction } from '../../parts/confirm.tsx'
import { openCsv } from '../../parts/csv.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { messageOf } from '../../parts/states.tsx'
import { useFormat } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import styles from '../people.module.css'

/** Larger files are for the API; the whole file is read into this page. */
const FILE_BYTES_MAX = 20_000_000
/** One call locks the list; smaller ones show progress. */
const BATCH = 5_000

const importTexts = texts({
  en: {
    text: 'The first line has the names of the columns. Users who are on the list already stay as they are.',
    file: 'CSV file',
    tooLarge: (limit: string) => `The file has more than ${limit}. Subscribe its users through the API.`,
    column: 'Column with the user id',
    action: (count: string) => `Subscribe ${count}`,
    done: (count: string) => `${count} subscribed`,
    progress: (done: string, total: string) => `${done} of ${total}`,
  },
  de: {
    text: 'Die erste Zeile nennt die Spalten. Wer schon eingetragen ist, bleibt es unverändert.',
    file: 'CSV-Datei',
    tooLarge: (limit: string) => `Die Datei hat mehr als ${limit}. Ihre Nutzer sind über die API einzutragen.`,
    column: 'Spalte mit der Nutzer-Id',
    action: (count: string) => `${count} eintragen`,
    done: (count: string) => `${count} eingetragen`,
    progress: (done: string, total: string) => `${done} von ${total}`,
  },
})

interface CsvFile {
  header: readonly string[]
  rows: readonly (readonly string[])[]
}

async function readCsv(file: File): Promise<CsvFile> {
  const csv = await openCsv(file)
  const rows: (readonly string[])[] = []
  for await (const part of csv.parts()) rows.push(...part.rows.map(({ cells }) => cells))
  return { header: csv.header, rows }
}

const guess = (header: readonly string[]) =>
  Math.max(
    0,
    header.findIndex((name) => /^(?:user_?id|recipient_?id|recipient|user|id)$/i.test(name)),
  )

export function ListImport({ listId, close }: { listId: string; close(): void }) {
  const labels = useTexts(importTexts)
  const format = useFormat()
  const [csv, setCsv] = useState<CsvFile>()
  const [errorMessage, setError] = useState<string>()
  const [column, setColumn] = useState(0)
  const [done, setDone] = useState(0)
  const ids = csv ? [...new Set(csv.rows.map((row) => row[column] ?? ''))].filter((id) => id !== '') : []
  const choose = async (file: File | null) => {
    setCsv(undefined)
    setError(undefined)
    if (!file) return
    if (file.size > FILE_BYTES_MAX) return setError(labels.tooLarge(format.bytes(FILE_BYTES_MAX)))
    try {
      const read = await readCsv(file)
      setCsv(read)
      setColumn(guess(read.header))
    } catch (error) {
      setError(messageOf(error))
    }
  }
  const subscribe = useAction({
    act: async () => {
      setDone(0)
      // Each batch is whole or not there; repeating the import after a failure changes nothing twice.
      for (let at = 0; at < ids.length; at += BATCH) {
        await api.lists.addSubscriptions(listId, { recipients: ids.slice(at, at + BATCH) })
        setDone(Math.min(ids.length, at + BATCH))
      }
    },
    done: labels.done(format.number(ids.length)),
    changes: [['lists', 'subscriptions', listId]],
    isInSteps: true,
    after: close,
  })
  return (
    <DialogForm
      action={labels.action(format.number(ids.length))}
      isReady={ids.length > 0}
      isPending={subscribe.isPending}
      submit={subscribe.mutate}
      close={close}
    >
      <p className={styles.dim}>{labels.text}</p>
      <FileInput
        required
        label={labels.file}
        accept=".csv,text/csv,text/plain"
        onChange={(file) => void choose(file)}
        error={errorMessage}
      />
      {csv && (
        <Select
          label={labels.column}
          allowDeselect={false}
          value={String(column)}
          onChange={(next) => setColumn(Number(next))}
          data={csv.header.map((name, index) => ({ value: String(index), label: name || `${index + 1}` }))}
        />
      )}
      {subscribe.isPending && (
        <div role="status">
          <Progress value={(done / ids.length) * 100} aria-label={labels.file} />
          <span className={styles.small}>{labels.progress(format.number(done), format.number(ids.length))}</span>
        </div>
      )}
    </DialogForm>
  )
}
