/** Backups: a copy of the local database, read into a file of the browser; the command for a database server. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { docsPath } from '../address.ts'
import { texts, useTexts } from '../language/language.tsx'
import { saveBlob } from '../parts/csv.ts'
import { rememberFocus, returnFocus } from '../parts/focus-return.ts'
import { messageOf } from '../parts/states.tsx'
import { useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import styles from './system.module.css'

const downloadTexts = texts({
  en: {
    download: 'Download a backup',
    copying: (bytes: string) => `Copying: ${bytes}`,
    stop: 'Stop',
    saved: (name: string, bytes: string) =>
      `${name} is saved (${bytes}). The secret key is not in it: keep it in another place. Try the copy once:`,
    failed: 'Nothing was saved:',
    guide: 'Backup and restore',
    server: 'A database server is backed up with its own tools:',
    secret: 'The secret key is not in it: keep POSTRIDER_SECRET_KEY, or the file secret.key, in another place.',
  },
  de: {
    download: 'Sicherung herunterladen',
    copying: (bytes: string) => `Wird kopiert: ${bytes}`,
    stop: 'Abbrechen',
    saved: (name: string, bytes: string) =>
      `${name} ist gespeichert (${bytes}). Der geheime Schlüssel ist nicht darin und gehört an einen anderen Ort. Die Kopie bitte einmal ausprobieren:`,
    failed: 'Es wurde nichts gespeichert:',
    guide: 'Sicherung und Wiederherstellung',
    server: 'Ein Datenbankserver wird mit seinen eigenen Werkzeugen gesichert:',
    secret:
      'Der geheime Schlüssel ist nicht darin: POSTRIDER_SECRET_KEY oder die Datei secret.key an einem anderen Ort aufbewahren.',
  },
})

const DUMP = 'pg_dump --format=custom --file=postrider.dump "$POSTRIDER_DATABASE_URL"'
/** A database of some GB takes minutes. */
const TIMEOUT_MS = 3_600_000
/** The browser keeps pieces outside the memory of the page. */
const PIECE_BYTES = 8_388_608

/** Calls `wrote` with the number of bytes so far. */
async function readBackup(signal: AbortSignal, wrote: (bytes: number) => void): Promise<Blob> {
  const pieces: Blob[] = []
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let waiting = 0
  let total = 0
  const reader = (await api.service.backup({ timeoutMs: TIMEOUT_MS, signal })).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value as Uint8Array<ArrayBuffer>)
    waiting += next.value.length
    total += next.value.length
    if (waiting < PIECE_BYTES) continue
    pieces.push(new Blob(chunks))
    chunks = []
    waiting = 0
    wrote(total)
  }
  return new Blob([...pieces, ...chunks], { type: 'application/gzip' })
}

type Progress =
  | { state: 'idle' }
  | { state: 'copying'; bytes: number }
  | { state: 'saved'; name: string; bytes: number }
  | { state: 'failed'; message: string }

export function BackupDownload() {
  const t = useTexts(downloadTexts)
  const format = useFormat()
  const queries = useQueryClient()
  const [progress, setProgress] = useState<Progress>({ state: 'idle' })
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const isCopying = progress.state === 'copying'
  useEffect(() => (isCopying ? returnFocus : undefined), [isCopying])
  const download = async () => {
    const { signal } = (stop.current = new AbortController())
    rememberFocus()
    setProgress({ state: 'copying', bytes: 0 })
    try {
      const blob = await readBackup(signal, (bytes) => setProgress({ state: 'copying', bytes }))
      const name = `postrider-${new Date().toISOString().slice(0, 10)}.tar.gz`
      saveBlob(name, blob)
      setProgress({ state: 'saved', name, bytes: blob.size })
      void queries.invalidateQueries({ queryKey: ['system'] })
    } catch (error) {
      setProgress(signal.aborted ? { state: 'idle' } : { state: 'failed', message: messageOf(error) })
    }
  }
  if (progress.state === 'copying')
    return (
      <p className={styles.note} role="status">
        {t.copying(format.bytes(progress.bytes))}{' '}
        <Button size="compact-sm" variant="default" onClick={() => stop.current?.abort()}>
          {t.stop}
        </Button>
      </p>
    )
  return (
    <p className={styles.note} role="status">
      <Button size="compact-sm" variant="default" onClick={() => void download()}>
        {t.download}
      </Button>{' '}
      {progress.state === 'idle' && <Guide />}
      {progress.state === 'failed' && (
        <>
          {t.failed} {progress.message}
        </>
      )}
      {progress.state === 'saved' && (
        <>
          {t.saved(progress.name, format.bytes(progress.bytes))} <Guide />
        </>
      )}
    </p>
  )
}

export function ServerBackup() {
  const t = useTexts(downloadTexts)
  return (
    <>
      <p>{t.server}</p>
      <code>{DUMP}</code>
      <p>
        {t.secret} <Guide />
      </p>
    </>
  )
}

function Guide() {
  const t = useTexts(downloadTexts)
  return (
    <a href={docsPath('running#backup-and-restore')} target="_blank" rel="noreferrer">
      {t.guide}
    </a>
  )
}
