/** Sends one message to one user, now and for real. */
import { useNavigate } from '@tanstack/react-router'
import { texts, useTexts } from '../../language/language.tsx'
import { useAction } from '../../parts/confirm.tsx'
import { api } from '../../session/api.ts'
import styles from '../people.module.css'
import { SendForm, type SendInput } from '../send-form.tsx'

const sendTexts = texts({
  en: {
    text: 'One message is sent to this user through the integrations of this environment.',
    action: 'Send 1 message',
    done: 'Accepted',
  },
  de: {
    text: 'Eine Nachricht geht über die Integrationen dieser Umgebung an diesen Nutzer.',
    action: '1 Nachricht senden',
    done: 'Angenommen',
  },
})

export function TestSend({ userId, close }: { userId: string; close(): void }) {
  const labels = useTexts(sendTexts)
  const navigate = useNavigate()
  const send = useAction({
    act: ({ event, data }: SendInput) => api.send({ message: { to: { user_id: userId }, template: event, data } }),
    done: labels.done,
    changes: [['messages']],
    after: ({ requestId }) => void navigate({ to: '/messages/$messageId', params: { messageId: requestId } }),
  })
  return (
    <SendForm action={labels.action} isPending={send.isPending} send={send.mutate} close={close}>
      <p className={styles.dim}>{labels.text}</p>
    </SendForm>
  )
}
