/** Four generations of the official SDK behind one interface: their calls that this version of the service has. */
import { CourierClient as Courier3 } from 'courier3'
import { CourierClient as Courier5 } from 'courier5'
import { CourierClient as Courier6 } from 'courier6'
import { Courier as Courier7 } from 'courier7'

interface Send {
  event: string
  recipient: string
  profile: Record<string, unknown>
  data: Record<string, unknown>
}

/** Each call resolves with the reply as the SDK read it. */
export interface SdkClient {
  send(send: Send, idempotencyKey?: string): Promise<{ messageId: string }>
  getProfile(id: string): Promise<unknown>
  mergeProfile(id: string, profile: Record<string, unknown>): Promise<unknown>
  replaceProfile(id: string, profile: Record<string, unknown>): Promise<unknown>
  patchProfile?(id: string, patch: { op: string; path: string; value: string }[]): Promise<unknown>
  deleteProfile(id: string): Promise<unknown>
  message(id: string): Promise<unknown>
  messages(query: { recipient?: string; event?: string; cursor?: string }): Promise<unknown>
  history(id: string): Promise<unknown>
  output(id: string): Promise<unknown>
  cancel?(id: string): Promise<unknown>
  notifications(): Promise<unknown>
}

interface Generation {
  name: string
  open(url: string, apiKey: string): SdkClient
}

export const generations: Generation[] = [
  { name: '3.16', open: third },
  { name: '5.7', open: fifth },
  { name: '6.6', open: sixth },
  { name: '7.10', open: seventh },
]

/** The calls that generations 3 and 5 have in common. */
type HandWritten = Omit<ReturnType<typeof Courier3>, 'send'> & {
  send(params: object, config?: { idempotencyKey: string }): Promise<{ messageId: string }>
}

function byHand(client: HandWritten): SdkClient {
  return {
    send: ({ event, recipient, profile, data }, idempotencyKey) =>
      client.send(
        { eventId: event, recipientId: recipient, profile, data },
        idempotencyKey === undefined ? undefined : { idempotencyKey },
      ),
    getProfile: (recipientId) => client.getProfile({ recipientId }),
    mergeProfile: (recipientId, profile) => client.mergeProfile({ recipientId, profile }),
    replaceProfile: (recipientId, profile) => client.replaceProfile({ recipientId, profile }),
    deleteProfile: (recipientId) => client.deleteProfile({ recipientId }),
    message: (id) => client.getMessage(id),
    messages: ({ recipient, event, cursor }) =>
      client.getMessages({
        ...(recipient !== undefined && { recipientId: recipient }),
        ...(event !== undefined && { eventId: event }),
        ...(cursor !== undefined && { cursor }),
      }),
    history: (id) => client.getMessageHistory(id),
    output: (id) => client.getMessageOutput(id),
    notifications: () => client.notifications.list({}),
  }
}

function third(baseUrl: string, authorizationToken: string): SdkClient {
  return byHand(Courier3({ baseUrl, authorizationToken }) as HandWritten)
}

function fifth(baseUrl: string, authorizationToken: string): SdkClient {
  const client = Courier5({ baseUrl, authorizationToken })
  return { ...byHand(client as unknown as HandWritten), cancel: (id) => client.cancelMessage(id) }
}

function sixth(baseUrl: string, authorizationToken: string): SdkClient {
  const client = new Courier6({ baseUrl, authorizationToken })
  return {
    send: (body, key) => rawSend(baseUrl, authorizationToken, body, key),
    getProfile: async (id) => client.profiles.get(id),
    mergeProfile: async (id, profile) => client.profiles.create(id, { profile }),
    replaceProfile: async (id, profile) => client.profiles.replace(id, { profile }),
    patchProfile: async (id, patch) => client.profiles.mergeProfile(id, { patch }),
    deleteProfile: async (id) => client.profiles.delete(id),
    message: async (id) => client.messages.get(id),
    messages: async (query) => client.messages.list(query),
    history: async (id) => client.messages.getHistory(id),
    output: async (id) => client.messages.getContent(id),
    cancel: async (id) => client.messages.cancel(id),
    notifications: async () => client.notifications.list(),
  }
}

function seventh(baseURL: string, apiKey: string): SdkClient {
  const client = new Courier7({ baseURL, apiKey })
  return {
    send: (body, key) =>
      client.post('/send', { body, ...(key !== undefined && { headers: { 'Idempotency-Key': key } }) }),
    getProfile: async (id) => client.profiles.retrieve(id),
    mergeProfile: async (id, profile) => client.profiles.create(id, { profile }),
    replaceProfile: async (id, profile) => client.profiles.replace(id, { profile }),
    patchProfile: async (id, patch) => client.profiles.update(id, { patch }),
    deleteProfile: async (id) => client.profiles.delete(id),
    message: async (id) => client.messages.retrieve(id),
    messages: async (query) => client.messages.list(query),
    history: async (id) => client.messages.history(id),
    output: async (id) => client.messages.content(id),
    cancel: async (id) => client.messages.cancel(id),
    notifications: async () => client.notifications.list(),
  }
}

/** Generation 6 has only the later form of the send body, which this version does not take. */
async function rawSend(url: string, key: string, body: Send, idempotencyKey?: string): Promise<{ messageId: string }> {
  const reply = await fetch(`${url}/send`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(body),
  })
  return reply.json() as Promise<{ messageId: string }>
}
