/** Cancels what a filter matches, or chosen messages: first a dry run that shows how many and which, then the progress. */
import { Button, Group, Modal, Progress } from '@mantine/core'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { isAnonymous } from '../names/recipient-ids.ts'
import { CodeText } from '../parts/code/code-text.tsx'
import { useAction } from '../parts/confirm.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { MessageStatusTag } from '../parts/status.tsx'
import { useFormat } from '../parts/time.tsx'
import { type CancelChoice, type CancelProgress, COUNTED_MAX, cancelWaiting, useCancelable } from './cancel-waiting.ts'
import styles from './messages.module.css'

const cancelTexts = texts({
  en: {
    title: 'Cancel messages',
    text: 'No provider is called any more. That cannot be undone; canceled messages can be replayed. What is sent meanwhile stays sent.',
    none: 'None of these messages can be canceled: they were sent, or have ended.',
    one: '1 message waits',
    many: (count: string) => `${count} messages wait`,
    first: 'The first of them',
    withoutUser: 'without a user',
    left: (count: string, reason: string) => `${count} left out: ${reason}`,
    not_found: 'no message has the id',
    canceled: 'canceled already',
    too_late: 'sent, or ended',
    cancelOne: 'Cancel 1 message',
    cancelMany: (count: string) => `Cancel ${count} messages`,
    running: (canceled: string, all: string) => `${canceled} of ${all} canceled`,
    keep: 'Keep them',
    doneOne: '1 message is canceled',
    done: (count: string) => `${count} messages are canceled`,
    inDelivery: (count: string) => `, ${count} are being delivered`,
  },
  de: {
    title: 'Nachrichten abbrechen',
    text: 'Es wird kein Anbieter mehr aufgerufen. Das lässt sich nicht rückgängig machen; abgebrochene Nachrichten lassen sich wiederholen. Was inzwischen gesendet wird, bleibt gesendet.',
    none: 'Keine dieser Nachrichten lässt sich abbrechen: Sie sind gesendet oder zu Ende.',
    one: '1 Nachricht wartet',
    many: (count: string) => `${count} Nachrichten warten`,
    first: 'Die ersten davon',
    withoutUser: 'ohne Nutzer',
    left: (count: string, reason: string) => `${count} ausgelassen: ${reason}`,
    not_found: 'keine Nachricht hat diese Id',
    canceled: 'schon abgebrochen',
    too_late: 'gesendet oder zu Ende',
    cancelOne: '1 Nachricht abbrechen',
    cancelMany: (count: string) => `${count} Nachrichten abbrechen`,
    running: (canceled: string, all: string) => `${canceled} von ${all} abgebrochen`,
    keep: 'Nicht abbrechen',
    doneOne: '1 Nachricht ist abgebrochen',
    done: (count: string) => `${count} Nachrichten sind abgebrochen`,
    inDelivery: (count: string) => `, ${count} werden gerade zugestellt`,
  },
})

/** A number of messages that can be canceled, as the API counts it. */
export function useAmount(): (count: number) => string {
  const format = useFormat()
  return (count) => `${format.number(count)}${count >= COUNTED_MAX ? '+' : ''}`
}

/** The end of a cancellation in a sentence. */
export function useCanceledText(): (progress: CancelProgress) => string {
  const t = useTexts(cancelTexts)
  const format = useFormat()
  return ({ canceled, remaining }) =>
    `${canceled === 1 ? t.doneOne : t.done(format.number(canceled))}${remaining > 0 ? t.inDelivery(format.number(remaining)) : ''}`
}

interface CancelDialogProps {
  chosen: CancelChoice | undefined
  close(): void
  /** The messages are canceled. */
  done?(): void
}

export function CancelDialog({ chosen, close, done }: CancelDialogProps) {
  const t = useTexts(cancelTexts)
  const w = useTexts(words)
  return (
    <Modal
      opened={chosen !== undefined}
      onClose={close}
      title={t.title}
      size="lg"
      closeButtonProps={{ 'aria-label': w.close }}
    >
      {chosen && (
        <Plan
          chosen={chosen}
          close={close}
          after={() => {
            close()
            done?.()
          }}
        />
      )}
    </Modal>
  )
}

function Plan({ chosen, close, after }: { chosen: CancelChoice; close(): void; after(): void }) {
  const t = useTexts(cancelTexts)
  const format = useFormat()
  const amount = useAmount()
  const canceledText = useCanceledText()
  const [progress, setProgress] = useState<CancelProgress>()
  const plan = useCancelable(chosen)
  const cancel = useAction({
    act: (confirmed: number) => cancelWaiting(chosen, confirmed, setProgress),
    done: canceledText,
    changes: [['messages'], ['message'], ['bulk']],
    isInSteps: true,
    after,
  })
  if (plan.isPending) return <Loading rows={5} />
  if (plan.isError) return <Failed error={plan.error} retry={plan.refetch} />
  const { cancelable, messages, excluded } = plan.data
  if (cancel.isPending) {
    const { canceled = 0, remaining = cancelable } = progress ?? {}
    const all = canceled + remaining
    return (
      <div className={styles.plan} role="status">
        <p className={styles.count}>{t.running(format.number(canceled), amount(all))}</p>
        <Progress value={all === 0 ? 100 : (canceled / all) * 100} aria-label={t.title} />
      </div>
    )
  }
  return (
    <div className={styles.plan}>
      <p className={styles.count}>
        {cancelable === 0 ? t.none : cancelable === 1 ? t.one : t.many(amount(cancelable))}
      </p>
      {cancelable > 0 && <p className={styles.dim}>{t.text}</p>}
      {messages.length > 0 && (
        <div>
          <p className={styles.dim}>{t.first}</p>
          <ul className={styles.planRows}>
            {messages.map(({ id, status, recipient, event, error }) => (
              <li key={id}>
                <MessageStatusTag status={status} />
                <span title={recipient}>{isAnonymous(recipient) ? t.withoutUser : recipient}</span>
                <span title={error?.replaceAll('`', '') ?? event} className={styles.dim}>
                  {error === undefined ? event : <CodeText text={error} />}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {excluded.map(({ reason, count }) => (
        <p key={reason} className={styles.dim}>
          {t.left(format.number(count), t[reason])}
        </p>
      ))}
      {cancelable > 0 && (
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t.keep}
          </Button>
          <Button color="bad" onClick={() => cancel.mutate(cancelable)}>
            {cancelable === 1 ? t.cancelOne : t.cancelMany(amount(cancelable))}
          </Button>
        </Group>
      )}
    </div>
  )
}
