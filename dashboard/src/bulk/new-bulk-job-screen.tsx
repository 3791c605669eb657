/**
 * A bulk job from a file: message, file, columns; every row is checked, then added in pages, and nothing is sent before
 * the last button. Pages that are repeated add none twice, so that a failure or a reload goes on where it was.
 */
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { useMessageTitle } from '../names/template-names.ts'
import { CodeEditor } from '../parts/code/code.tsx'
import { parseObject } from '../parts/code/json.ts'
import { CopyableId } from '../parts/copyable.tsx'
import { Page, Section } from '../parts/page.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { AddUsers, OpenJob, useAddUsers } from './add-users.tsx'
import styles from './bulk.module.css'
import { eventOf } from './bulk-job-screen.tsx'
import { bulkTexts } from './bulk-texts.tsx'
import { ColumnMapping } from './column-mapping.tsx'
import { type Column, columnError, guessColumns } from './columns.ts'
import { type ChosenFile, FileChoice } from './file-choice.tsx'
import { FirstMessage } from './first-message.tsx'
import { RowCheckSection, useRowCheck } from './row-check.tsx'
import { readUpload } from './saved-upload.ts'
import { TemplateChoice } from './template-choice.tsx'

const newTexts = texts({
  en: {
    description: 'Nothing is sent before the last step.',
    message: 'Message',
    messageText: 'The same for all users; values of a user win over the data here.',
    data: 'Data for all users',
    notJson: 'This is no JSON object.',
    file: 'Users',
    fileText: 'A CSV file with one user a line, and the names of the columns in the first line.',
    columns: 'Columns',
    columnsText: 'The fields that the columns become. Guessed by their names.',
    nameless: 'Each field of the profile and each value needs a name.',
    twice: 'Two columns become the same field.',
    unreachable: 'One column must be the user id, or an address.',
    again: 'This job was interrupted. Choose the same file again to add the rest; no user is added twice.',
    started: 'This job takes no more users.',
    sendTitle: 'Send',
  },
  de: {
    description: 'Vor dem letzten Schritt wird nichts gesendet.',
    message: 'Nachricht',
    messageText: 'Für alle Nutzer gleich; Werte eines Nutzers gehen den Daten hier vor.',
    data: 'Daten für alle Nutzer',
    notJson: 'Das ist kein JSON-Objekt.',
    file: 'Nutzer',
    fileText: 'Eine CSV-Datei mit einem Nutzer je Zeile; die erste Zeile nennt die Spalten.',
    columns: 'Spalten',
    columnsText: 'Was aus den Spalten wird, nach ihren Namen geraten.',
    nameless: 'Jedes Feld des Profils und jeder Wert braucht einen Namen.',
    twice: 'Aus zwei Spalten wird dasselbe Feld.',
    unreachable: 'Eine Spalte muss die Nutzer-Id oder eine Adresse sein.',
    again:
      'Dieser Versand wurde unterbrochen. Mit derselben Datei kommen die übrigen Nutzer hinzu, keiner davon doppelt.',
    started: 'Dieser Versand nimmt keine Nutzer mehr auf.',
    sendTitle: 'Senden',
  },
})

export function NewBulkJobScreen() {
  const t = useTexts(newTexts)
  const bulk = useTexts(bulkTexts)
  const { job: jobId } = useSearch({ from: '/bulk/new' })
  const { canOperate } = usePermissions()
  const titleOf = useMessageTitle()
  const [event, setEvent] = useState('')
  const [data, setData] = useState('{}')
  const [file, setFile] = useState<ChosenFile>()
  const [columns, setColumns] = useState<readonly Column[]>([])
  const job = useQuery({
    queryKey: ['bulk', 'one', jobId],
    queryFn: async ({ signal }) => (await api.bulk.get(jobId ?? '', { signal })).job,
    enabled: jobId !== undefined,
  })
  const parsed = parseObject(data)
  const problem = file && columnError(columns)
  const check = useRowCheck(problem ? undefined : file?.csv, columns)
  const adding = useAddUsers({ jobId, file, columns, event, data: parsed })
  const isOpen = adding.isPending || adding.upload !== undefined
  const choose = (chosen: ChosenFile) => {
    const saved = jobId === undefined ? undefined : readUpload(jobId)
    setFile(chosen)
    setColumns(saved?.fileDigest === chosen.digest ? saved.columns : guessColumns(chosen.csv.header))
    adding.forget()
  }
  if (!canOperate)
    return (
      <Page title={bulk.newJob} width="column">
        <p className={styles.small}>{bulk.noRole}</p>
      </Page>
    )
  const isClosed = job.data !== undefined && job.data.status !== 'CREATED'
  const template = job.data ? (eventOf(job.data) ?? '') : event
  const templateName = titleOf({ event: template })
  const isComplete = check?.isComplete === true
  const isReady = isComplete && check.valid > 0 && (jobId !== undefined || (event !== '' && parsed !== undefined))
  return (
    <Page
      title={bulk.newJob}
      description={t.description}
      width="column"
      badge={jobId !== undefined && <CopyableId id={jobId} />}
    >
      <Section title={t.message} description={t.messageText}>
        {jobId === undefined ? (
          <div className={styles.form}>
            <TemplateChoice value={event} choose={setEvent} />
            <div className={styles.field}>
              <span>{t.data}</span>
              <CodeEditor label={t.data} value={data} onChange={setData} maxHeight="240px" />
              {parsed === undefined && <p role="alert">{t.notJson}</p>}
            </div>
          </div>
        ) : (
          <strong>{job.data && templateName}</strong>
        )}
      </Section>
      {isClosed ? (
        <div className={styles.actions}>
          <span>{t.started}</span>
          <OpenJob jobId={jobId ?? ''} />
        </div>
      ) : (
        <>
          <Section title={t.file} description={t.fileText}>
            {jobId !== undefined && !file && (job.data?.received ?? 0) > 0 && <p role="status">{t.again}</p>}
            <FileChoice label={t.file} name={file?.name} isReadOnly={adding.isPending} choose={choose} />
          </Section>
          {file && (
            <Section title={t.columns} description={t.columnsText}>
              <ColumnMapping {...{ columns, samples: file.samples, isReadOnly: isOpen }} change={setColumns} />
              {problem && (
                <p className={styles.error} role="alert">
                  {t[problem]}
                </p>
              )}
            </Section>
          )}
          {file && check && <RowCheckSection check={check} header={file.csv.header} />}
          {check?.firstUser && template !== '' && (
            <FirstMessage user={check.firstUser} template={template} data={parsed ?? {}} />
          )}
          {file && check && (
            <Section title={t.sendTitle}>
              <AddUsers
                {...{ adding, check, isReady, jobId, received: job.data?.received ?? 0, header: file.csv.header }}
              />
            </Section>
          )}
        </>
      )}
    </Page>
  )
}
