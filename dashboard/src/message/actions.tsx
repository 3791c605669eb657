/** Resend a message, open it in the form, cancel it. */
import { ArrowPathIcon, NoSymbolIcon, PaperAirplaneIcon } from '@heroicons/react/16/solid'
import { Button } from '@mantine/core'
import { mayHaveArrived } from '@postrider/client/sentence'
import { Link, useNavigate } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { openedFrom } from '../parts/list-return.ts'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import type { MessageReplies } from './message-query.ts'
import { ResendAction, ResendText } from './resend-question.tsx'
import { isUnfinished } from './timeline/rows.ts'

const actionTexts = texts({
  en: {
    openInSend: 'Open in Send',
    resend: 'Resend',
    resent: 'Resent as a new message',
    resendTitle: 'Resend this message',
    cancel: 'Cancel message',
    cancelTitle: 'Cancel this message',
    cancelText: 'No provider is called any more. That cannot be undone; it can be resent.',
    doubt: 'An earlier attempt may have arrived.',
    canceled: 'The message is canceled',
  },
  de: {
    openInSend: 'In Senden öffnen',
    resend: 'Erneut senden',
    resent: 'Als neue Nachricht erneut gesendet',
    resendTitle: 'Diese Nachricht erneut senden',
    cancel: 'Nachricht abbrechen',
    cancelTitle: 'Diese Nachricht abbrechen',
    cancelText:
      'Kein Anbieter wird mehr aufgerufen. Das lässt sich nicht zurücknehmen; sie kann erneut gesendet werden.',
    doubt: 'Ein früherer Versuch kann angekommen sein.',
    canceled: 'Die Nachricht ist abgebrochen',
  },
})

export function Actions({ message, explanation }: Pick<MessageReplies, 'message' | 'explanation'>) {
  const t = useTexts(actionTexts)
  const { id, event } = message
  const navigate = useNavigate()
  const confirm = useConfirm()
  const { canOperate } = usePermissions()
  const changed = [['message', id], ['messages']]
  const cancel = useAction({ act: () => api.messages.cancel(id), done: t.canceled, changes: changed })
  const resend = useAction({
    act: () => api.messages.resend(id),
    done: t.resent,
    changes: changed,
    after: ({ messageId }) =>
      void navigate({ to: '/messages/$messageId', params: { messageId }, state: openedFrom('/messages') }),
  })
  const confirmCancel = async () => {
    const text = mayHaveArrived(explanation.deliveries) ? `${t.cancelText} ${t.doubt}` : t.cancelText
    const question = { title: t.cancelTitle, text, action: t.cancel, isDangerous: true }
    if (await confirm(question)) cancel.mutate()
  }
  const confirmResend = async () => {
    const text = <ResendText message={message} />
    if (await confirm({ title: t.resendTitle, text, action: <ResendAction id={id} /> })) resend.mutate()
  }
  // A form has a template: a message with inline content is resent as it is.
  const canOpen = canOperate && event !== ''
  useShortcuts([
    ...(canOpen
      ? [{ keys: 'e', label: t.openInSend, act: () => void navigate({ to: '/send', search: { message: id } }) }]
      : []),
    ...(canOperate ? [{ keys: 'r', label: t.resend, act: () => void confirmResend() }] : []),
  ])
  if (!canOperate) return null
  return (
    <>
      {canOpen && (
        <Button
          variant="default"
          leftSection={<PaperAirplaneIcon width={14} aria-hidden />}
          renderRoot={(props) => <Link to="/send" search={{ message: id }} {...props} />}
        >
          {t.openInSend}
        </Button>
      )}
      {isUnfinished(message) && (
        <Button
          variant="default"
          leftSection={<NoSymbolIcon width={14} aria-hidden />}
          loading={cancel.isPending}
          onClick={() => void confirmCancel()}
        >
          {t.cancel}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<ArrowPathIcon width={14} aria-hidden />}
        loading={resend.isPending}
        onClick={() => void confirmResend()}
      >
        {t.resend}
      </Button>
    </>
  )
}
