/** The form as a message was sent: its template, its recipient and its data; a form has no routing, topic or override. */
import { queryOptions } from '@tanstack/react-query'
import { fieldText } from '../parts/code/json.ts'
import { api } from '../session/api.ts'
import { noContact, type SendForm } from './form.ts'

const ANONYMOUS = 'anon_'

/** `contact`: the addresses of the send, or those that are stored for its user. */
export const storedSendQuery = (id: string, contact: 'sent' | 'stored') =>
  queryOptions({
    queryKey: ['send', 'of-message', id, contact],
    queryFn: async ({ signal }): Promise<SendForm> => {
      const { results } = await api.messages.history(id, { type: 'ENQUEUED' }, { signal })
      const accepted = results.find((event) => event.type === 'ENQUEUED')
      const { event = '', recipient = '', profile = {}, data = {} } = accepted ?? {}
      const email = fieldText(profile.email)
      const phone = fieldText(profile.phone_number)
      // An address without a user had an id of that message only.
      const address = recipient.startsWith(ANONYMOUS) ? email || phone : ''
      return {
        event,
        to: address || recipient,
        tenant: '',
        contact:
          contact === 'stored'
            ? noContact
            : {
                email: address === email ? '' : email,
                phone_number: address === phone ? '' : phone,
                locale: fieldText(profile.locale),
              },
        data: { ...data },
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
