/** The answer of the first screen: whether it works, as the first message shows. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { statusGroups } from '../parts/status-groups.ts'
import { useFormat } from '../parts/time.tsx'
import { deliveryOf, type FirstMessage, isOnItsWay } from './first-message.ts'

const answerTexts = texts({
  en: {
    none: 'It runs. Nothing was sent yet.',
    noneRest: 'The first message goes to the built-in mailbox, and to no person.',
    onItsWay: 'Welcome is on its way.',
    delivered: (duration: string) => `It works: Welcome was delivered ${duration} after the call.`,
    sent: (integration: string, duration: string) =>
      `It works: Welcome was sent by ${integration} ${duration} after the call.`,
    builtIn: 'The built-in',
    mailbox: 'mailbox',
    took: 'took it, so nothing left this server.',
    confirmed: (integration: string) => `${integration} confirmed it.`,
    unconfirmed: (integration: string) => `${integration} has accepted it and not confirmed its delivery.`,
    held: 'Welcome is held: an integration needs a repair.',
    failed: 'Welcome was not delivered.',
    why: 'Read why',
  },
  de: {
    none: 'Es läuft. Noch wurde nichts gesendet.',
    noneRest: 'Die erste Nachricht geht in das eingebaute Postfach und an keinen Menschen.',
    onItsWay: 'Welcome ist unterwegs.',
    delivered: (duration: string) => `Es funktioniert: Welcome wurde ${duration} nach dem Aufruf zugestellt.`,
    sent: (integration: string, duration: string) =>
      `Es funktioniert: Welcome wurde ${duration} nach dem Aufruf über ${integration} gesendet.`,
    builtIn: 'Das eingebaute',
    mailbox: 'Postfach',
    took: 'nahm sie an, also hat nichts diesen Server verlassen.',
    confirmed: (integration: string) => `${integration} hat es bestätigt.`,
    unconfirmed: (integration: string) => `${integration} hat sie angenommen und die Zustellung nicht bestätigt.`,
    held: 'Welcome ist angehalten: Eine Integration braucht eine Reparatur.',
    failed: 'Welcome wurde nicht zugestellt.',
    why: 'Warum, steht hier',
  },
})

interface AnswerProps {
  /** Undefined: nothing was ever sent. */
  first: FirstMessage | undefined
  /** Another one is on its way, of which nothing is known yet. */
  isAnother: boolean
}

export function Answer({ first, isAnother }: AnswerProps): ReactNode {
  const t = useTexts(answerTexts)
  const { duration } = useFormat()
  if (!first)
    return (
      <>
        <strong>{t.none}</strong> {t.noneRest}
      </>
    )
  const { enqueued, sent, delivered, status, id } = first.message
  const delivery = deliveryOf(first)
  const name = delivery?.title ?? delivery?.provider ?? ''
  if (isAnother || isOnItsWay(first)) return <strong>{t.onItsWay}</strong>
  if (!arrived.has(status))
    return (
      <>
        <strong>{status === 'HELD' ? t.held : t.failed}</strong>{' '}
        <Link to="/messages/$messageId" params={{ messageId: id }}>
          {t.why}
        </Link>
      </>
    )
  if (delivered === undefined)
    return (
      <>
        <strong>{t.sent(name, duration((sent ?? enqueued) - enqueued))}</strong>{' '}
        {status === 'SENT' && t.unconfirmed(name)}
      </>
    )
  return (
    <>
      <strong>{t.delivered(duration(delivered - enqueued))}</strong>{' '}
      {delivery?.provider === 'mailbox' ? (
        <>
          {t.builtIn} <Link to="/mailbox">{t.mailbox}</Link> {t.took}
        </>
      ) : (
        t.confirmed(name)
      )}
    </>
  )
}

const arrived: ReadonlySet<string> = new Set(statusGroups.arrived)
