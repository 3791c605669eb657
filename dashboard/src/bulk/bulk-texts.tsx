/** Words that the screens of bulk jobs share, and the status of a job. */
import { texts, useTexts } from '../language/language.tsx'
import { Tag, type Tone } from '../parts/status.tsx'
import type { JobStatus } from './search.ts'

export const bulkTexts = texts({
  en: {
    bulkJobs: 'Bulk jobs',
    newJob: 'Create bulk job',
    job: 'Job id',
    event: 'Event or template',
    users: 'Users',
    created: 'Messages created',
    failures: 'Not created',
    noRole: 'This needs a key of role full.',
    line: 'Line',
    reason: 'Reason',
    CREATED: 'Not sent yet',
    PROCESSING: 'In progress',
    COMPLETED: 'Completed',
    CANCELED: 'Stopped',
    ERROR: 'Failed',
  },
  de: {
    bulkJobs: 'Massenversand',
    newJob: 'Massenversand anlegen',
    job: 'Auftrags-Id',
    event: 'Ereignis oder Vorlage',
    users: 'Nutzer',
    created: 'Nachrichten erzeugt',
    failures: 'Nicht erzeugt',
    noRole: 'Dafür braucht es einen Schlüssel mit vollem Zugriff.',
    line: 'Zeile',
    reason: 'Grund',
    CREATED: 'Noch nicht gesendet',
    PROCESSING: 'Läuft',
    COMPLETED: 'Abgeschlossen',
    CANCELED: 'Gestoppt',
    ERROR: 'Fehlgeschlagen',
  },
})

const tones: Record<JobStatus, Tone> = {
  CREATED: 'quiet',
  PROCESSING: 'wait',
  COMPLETED: 'good',
  CANCELED: 'quiet',
  ERROR: 'bad',
}

export function JobStatusTag({ status }: { status: JobStatus }) {
  const t = useTexts(bulkTexts)
  return <Tag tone={tones[status]}>{t[status]}</Tag>
}
