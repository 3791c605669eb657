/** Pausing and resuming deliveries, after a confirmation that says what happens. */
import { texts, useTexts } from '../language/language.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { api } from '../session/api.ts'
import { pauseKey } from './pause.ts'

const pauseTexts = texts({
  en: {
    pause: 'Pause deliveries',
    pauseText:
      'On every node and in every environment nothing leaves any more: no message, webhook, run of an automation or digest. Sends are accepted and wait; their time limits go on. Calls of providers in progress end.',
    paused: 'Deliveries are paused.',
    resume: 'Resume deliveries',
    resumeText:
      'On every node everything that waits is sent now. Messages whose time limit passed during the pause end as expired.',
    resumed: 'Deliveries are resumed.',
  },
  de: {
    pause: 'Zustellung pausieren',
    pauseText:
      'Auf jedem Knoten und in jeder Umgebung geht nichts mehr hinaus: keine Nachricht, kein Webhook, kein Lauf einer Automation, keine Sammelnachricht. Neue Nachrichten werden angenommen und warten; ihre Fristen laufen weiter. Laufende Aufrufe von Anbietern enden noch.',
    paused: 'Die Zustellung ist pausiert.',
    resume: 'Zustellung fortsetzen',
    resumeText:
      'Auf jedem Knoten wird jetzt alles versendet, was wartet. Nachrichten, deren Frist während der Pause endete, laufen ab.',
    resumed: 'Die Zustellung läuft wieder.',
  },
})

/** The change to the other state, after a confirmation. */
export function usePauseChange(to: 'pause' | 'resume') {
  const t = useTexts(pauseTexts)
  const confirm = useConfirm()
  const change = useAction({
    act: () => api.service[to](),
    done: to === 'pause' ? t.paused : t.resumed,
    changes: [pauseKey, ['system']],
  })
  return {
    label: t[to],
    isPending: change.isPending,
    async start() {
      const text = to === 'pause' ? t.pauseText : t.resumeText
      if (await confirm({ title: t[to], text, action: t[to], isDangerous: to === 'pause' })) change.mutate()
    },
  }
}
