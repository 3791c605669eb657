/** Sends a job after a confirmation that says to how many. */
import { texts, useTexts } from '../language/language.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'

const runTexts = texts({
  en: {
    send: (users: string) => `Send to ${users} users`,
    title: 'Send this bulk job',
    text: (users: string) =>
      `${users} users get a message each, through the integrations of this environment. While it is in progress, the job can be stopped; messages that are created by then are sent.`,
    sent: 'The job is in progress',
  },
  de: {
    send: (users: string) => `An ${users} Nutzer senden`,
    title: 'Diesen Massenversand senden',
    text: (users: string) =>
      `${users} Nutzer bekommen je eine Nachricht, über die Integrationen dieser Umgebung. Solange der Versand läuft, lässt er sich stoppen; bis dahin erzeugte Nachrichten werden gesendet.`,
    sent: 'Der Versand läuft',
  },
})

export function useRunJob(jobId: string, after?: () => void) {
  const labels = useTexts(runTexts)
  const format = useFormat()
  const confirm = useConfirm()
  const run = useAction({
    act: () => api.bulk.run(jobId),
    done: labels.sent,
    changes: [['bulk']],
    ...(after && { after }),
  })
  const label = (users: number) => labels.send(format.number(users))
  return {
    isPending: run.isPending,
    label,
    async start(users: number) {
      const text = labels.text(format.number(users))
      if (await confirm({ title: labels.title, text, action: label(users) })) run.mutate()
    },
  }
}
