/** The users of a file, added to a job in pages; then the job is sent or opened. */
import { Button, Progress } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { useAction } from '../parts/confirm.tsx'
import { useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { BadRows } from './bad-rows.tsx'
import styles from './bulk.module.css'
import type { Column } from './columns.ts'
import type { ChosenFile } from './file-choice.tsx'
import type { RowCheck } from './row-check.tsx'
import { useRunJob } from './run-job.ts'
import { readUpload, saveUpload } from './saved-upload.ts'
import { addPages, digestOf, type Upload } from './upload.ts'

const usersTexts = texts({
  en: {
    refused: (count: string) => `${count} rows were refused by the server`,
    progress: 'Users',
    add: (users: string) => `Add ${users} users`,
    goOn: (users: string) => `Go on with ${users} users`,
    adding: (done: string, users: string) =>
      `${done} of ${users} ${users === '1' ? 'user' : 'users'} added. Nothing is sent yet.`,
    present: (users: string) => `${users} users were in the job before, and keep the values that it has of them.`,
    pause: 'Pause',
    added: (users: string) => `${users} users are in the job. Nothing is sent yet.`,
    open: 'Open job',
    chooseFirst: 'Choose an event or a template first.',
  },
  de: {
    refused: (count: string) => `${count} Zeilen hat der Server abgelehnt`,
    progress: 'Nutzer',
    add: (users: string) => `${users} Nutzer hinzufügen`,
    goOn: (users: string) => `Mit ${users} Nutzern fortfahren`,
    adding: (done: string, users: string) =>
      `${done} von ${users} ${users === '1' ? 'Nutzer' : 'Nutzern'} hinzugefügt. Noch ist nichts gesendet.`,
    present: (users: string) => `${users} Nutzer standen schon im Versand und behalten ihre Werte dort.`,
    pause: 'Anhalten',
    added: (users: string) => `${users} Nutzer sind im Versand. Noch ist nichts gesendet.`,
    open: 'Versand öffnen',
    chooseFirst: 'Zuerst ein Ereignis oder eine Vorlage wählen.',
  },
})

interface AddUsersInput {
  jobId: string | undefined
  file: ChosenFile | undefined
  columns: readonly Column[]
  event: string
  data: Record<string, unknown> | undefined
}

const NOTHING: Upload = { page: 0, done: 0, present: 0, refused: [] }

/** Creates the job once and adds the pages; goes on where it failed, or where a reload has interrupted it. */
export function useAddUsers({ jobId, file, columns, event, data }: AddUsersInput) {
  const navigate = useNavigate({ from: '/bulk/new' })
  const [upload, setUpload] = useState<Upload>()
  const [isDone, setDone] = useState(false)
  const stopping = useRef<AbortController>(undefined)
  const [attempt] = useState(() => crypto.getRandomValues(new Uint32Array(4)).join('-'))
  useEffect(() => () => stopping.current?.abort(), [])
  const add = useAction({
    act: async () => {
      if (!file) return
      stopping.current = new AbortController()
      const { signal } = stopping.current
      const id = jobId ?? (await create())
      const digest = digestOf([file.digest, columns])
      const saved = readUpload(id)
      const isSame = saved?.fileDigest === file.digest && digestOf([file.digest, saved.columns]) === digest
      const from = upload ?? (isSame ? { ...NOTHING, ...saved.upload } : NOTHING)
      setUpload(from)
      const progress = (next: Upload) => {
        setUpload(next)
        const { page, done, present } = next
        saveUpload(id, { fileDigest: file.digest, columns, upload: { page, done, present } })
      }
      const options = { client: api, jobId: id, file: file.csv, columns, from, signal, progress }
      await addPages(options)
      if (!signal.aborted) setDone(true)
    },
    changes: [['bulk']],
  })
  async function create(): Promise<string> {
    const message = { event, data: data ?? {} }
    const call = { strict: true, idempotencyKey: `${attempt}-${digestOf(message)}` }
    const { jobId: id } = await api.bulk.create({ message }, call)
    await navigate({ search: { job: id }, replace: true })
    return id
  }
  return {
    upload,
    isDone,
    isPending: add.isPending,
    start: () => add.mutate(),
    pause: () => stopping.current?.abort(),
    forget() {
      setUpload(undefined)
      setDone(false)
    },
  }
}

export interface AddUsersProps {
  adding: ReturnType<typeof useAddUsers>
  check: RowCheck
  isReady: boolean
  jobId: string | undefined
  received: number
  header: readonly string[]
}

export function AddUsers({ adding, check, isReady, jobId, received, header }: AddUsersProps) {
  const t = useTexts(usersTexts)
  const format = useFormat()
  const navigate = useNavigate()
  const { upload, isDone, isPending } = adding
  const leave = () => {
    saveUpload(jobId ?? '', undefined)
    void navigate({ to: `/bulk/${encodeURIComponent(jobId ?? '')}` })
  }
  const send = useRunJob(jobId ?? '', leave)
  const total = format.number(check.valid)
  const { isComplete } = check
  const { done, present } = upload ?? NOTHING
  return (
    <div className={styles.form}>
      {(isPending || (upload && !isDone)) && (
        <div role="status" className={styles.form}>
          <Progress value={(done / Math.max(1, check.valid)) * 100} aria-label={t.progress} />
          <span className={styles.small}>{t.adding(format.number(done - present), total)}</span>
        </div>
      )}
      {upload && upload.refused.length > 0 && (
        <>
          <p role="alert">{t.refused(format.number(upload.refused.length))}</p>
          <BadRows
            label={t.refused(format.number(upload.refused.length))}
            {...{ header, rows: upload.refused }}
            count={upload.refused.length}
          />
        </>
      )}
      {present > 0 && <p role="status">{t.present(format.number(present))}</p>}
      {isDone && <p role="status">{t.added(format.number(received))}</p>}
      <div className={styles.actions}>
        {isDone ? (
          <>
            <Button loading={send.isPending} disabled={received === 0} onClick={() => void send.start(received)}>
              {send.label(received)}
            </Button>
            <OpenJob jobId={jobId ?? ''} />
          </>
        ) : (
          <>
            <Button loading={isPending} disabled={!isReady} onClick={adding.start}>
              {upload || jobId !== undefined ? t.goOn(total) : t.add(total)}
            </Button>
            {isComplete && !isReady && jobId === undefined && check.valid > 0 && (
              <span className={styles.small}>{t.chooseFirst}</span>
            )}
            {isPending && (
              <Button variant="default" onClick={adding.pause}>
                {t.pause}
              </Button>
            )}
          </>
        )}
      </div>
    </div>
  )
}

export function OpenJob({ jobId }: { jobId: string }) {
  const t = useTexts(usersTexts)
  return (
    <Button variant="default" component={Link} to={`/bulk/${encodeURIComponent(jobId)}`}>
      {t.open}
    </Button>
  )
}
