/** Sends to a list, after saying how many recipients it has. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { texts, useTexts } from '../../language/language.tsx'
import { useAction } from '../../parts/confirm.tsx'
import { Failed } from '../../parts/states.tsx'
import { useFormat } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import { peopleTexts } from '../people-texts.ts'
import { SendForm, type SendInput } from '../send-form.tsx'

const PAGE = 100
/** The API gives no count; pages are counted up to this many recipients. */
const COUNTED_MAX = 2_000

const sendTexts = texts({
  en: {
    counting: 'Counting the recipients …',
    text: (count: string) => `${count} recipients are subscribed. Each gets a message; it cannot be taken back.`,
    action: (count: string) => `Send ${count} messages`,
    done: 'Accepted; the messages follow',
    atLeast: (count: string) => `more than ${count}`,
  },
  de: {
    counting: 'Die Empfänger werden gezählt …',
    text: (count: string) =>
      `${count} Empfänger sind eingetragen. Jeder bekommt eine Nachricht; das lässt sich nicht zurücknehmen.`,
    action: (count: string) => `${count} Nachrichten senden`,
    done: 'Angenommen; die Nachrichten folgen',
    atLeast: (count: string) => `mehr als ${count}`,
  },
})

export function ListSend({ listId, close }: { listId: string; close(): void }) {
  const labels = useTexts(sendTexts)
  const people = useTexts(peopleTexts)
  const format = useFormat()
  const navigate = useNavigate()
  const count = useQuery({
    queryKey: ['lists', 'subscriptions', listId, 'count'],
    queryFn: async ({ signal }) => {
      let recipients = 0
      for await (const page of api.lists.subscriptions(listId, { limit: PAGE }, { signal }).pages()) {
        recipients += page.items.length
        if (recipients >= COUNTED_MAX) return { recipients, isWhole: !page.paging.more }
      }
      return { recipients, isWhole: true }
    },
  })
  const send = useAction({
    act: (input: SendInput) => api.lists.send({ list: listId, ...input }),
    done: labels.done,
    changes: [['messages']],
    after: () => void navigate({ to: '/messages', search: { list: listId } }),
  })
  const number = count.data && format.number(count.data.recipients)
  const countText = number && (count.data.isWhole ? number : labels.atLeast(number))
  return (
    <SendForm
      action={countText ? labels.action(countText) : people.send}
      hasRecipients={(count.data?.recipients ?? 0) > 0}
      isPending={send.isPending}
      send={send.mutate}
      close={close}
    >
      {count.isError ? (
        <Failed error={count.error} retry={count.refetch} />
      ) : (
        <p role="status">{countText ? labels.text(countText) : labels.counting}</p>
      )}
    </SendForm>
  )
}
