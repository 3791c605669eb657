/** Four generations of the official SDK behind one interface: their calls about lists. */
import { CourierClient as Courier3 } from 'courier3'
import { CourierClient as Courier5 } from 'courier5'
import { CourierClient as Courier6 } from 'courier6'
import { Courier as Courier7 } from 'courier7'

type Recipients = { recipientId: string }[]

/** Each call resolves with the reply as the SDK read it. */
export interface ListClient {
  put(list: string, name: string): Promise<unknown>
  get(list: string): Promise<unknown>
  list(query: { pattern?: string; cursor?: string }): Promise<unknown>
  delete(list: string): Promise<unknown>
  restore(list: string): Promise<unknown>
  subscriptions(list: string): Promise<unknown>
  replace(list: string, recipients: Recipients): Promise<unknown>
  add(list: string, recipients: Recipients): Promise<unknown>
  subscribe(list: string, user: string): Promise<unknown>
  unsubscribe(list: string, user: string): Promise<unknown>
  listsOf(user: string): Promise<unknown>
  join(user: string, lists: { listId: string }[]): Promise<unknown>
  leave(user: string): Promise<unknown>
}

interface Generation {
  name: string
  /** False: it takes a query and never sends it. */
  filters: boolean
  open(url: string, apiKey: string): ListClient
}

export const generations: Generation[] = [
  {
    name: '3.16',
    filters: false,
    open: (baseUrl, authorizationToken) => byHand(Courier3({ baseUrl, authorizationToken }) as unknown as HandWritten),
  },
  {
    name: '5.7',
    filters: false,
    open: (baseUrl, authorizationToken) => byHand(Courier5({ baseUrl, authorizationToken }) as unknown as HandWritten),
  },
  { name: '6.6', filters: true, open: sixth },
  { name: '7.10', filters: true, open: seventh },
]

/** The calls that generations 3 and 5 have in common; their types require more than they send. */
interface HandWritten {
  lists: {
    put(list: string, params: { name: string }): Promise<unknown>
    get(list: string): Promise<unknown>
    list(params: object): Promise<unknown>
    delete(list: string): Promise<unknown>
    restore(list: string): Promise<unknown>
    getSubscriptions(list: string): Promise<unknown>
    putSubscriptions(list: string, recipients: Recipients): Promise<unknown>
    postSubscriptions(list: string, recipients: Recipients): Promise<unknown>
    subscribe(list: string, user: string): Promise<unknown>
    unsubscribe(list: string, user: string): Promise<unknown>
    findByRecipientId(user: string): Promise<unknown>
  }
  addRecipientToLists(params: { recipientId: string; lists: { listId: string }[] }): Promise<unknown>
  removeRecipientFromAllLists(params: { recipientId: string }): Promise<unknown>
}

function byHand(client: HandWritten): ListClient {
  const { lists } = client
  return {
    put: (list, name) => lists.put(list, { name }),
    get: (list) => lists.get(list),
    list: (query) => lists.list(query),
    delete: (list) => lists.delete(list),
    restore: (list) => lists.restore(list),
    subscriptions: (list) => lists.getSubscriptions(list),
    replace: (list, recipients) => lists.putSubscriptions(list, recipients),
    add: (list, recipients) => lists.postSubscriptions(list, recipients),
    subscribe: (list, user) => lists.subscribe(list, user),
    unsubscribe: (list, user) => lists.unsubscribe(list, user),
    listsOf: (user) => lists.findByRecipientId(user),
    join: (recipientId, joined) => client.addRecipientToLists({ recipientId, lists: joined }),
    leave: (recipientId) => client.removeRecipientFromAllLists({ recipientId }),
  }
}

function sixth(baseUrl: string, authorizationToken: string): ListClient {
  const { lists, profiles } = new Courier6({ baseUrl, authorizationToken })
  return {
    put: async (list, name) => lists.update(list, { name }),
    get: async (list) => lists.get(list),
    list: async (query) => lists.list(query),
    delete: async (list) => lists.delete(list),
    restore: async (list) => lists.restore(list),
    subscriptions: async (list) => lists.getSubscribers(list),
    replace: async (list, recipients) => lists.updateSubscribers(list, { recipients }),
    add: async (list, recipients) => lists.addSubscribers(list, { recipients }),
    subscribe: async (list, user) => lists.subscribe(list, user),
    unsubscribe: async (list, user) => lists.unsubscribe(list, user),
    listsOf: async (user) => profiles.getListSubscriptions(user),
    join: async (user, joined) => profiles.subscribeToLists(user, { lists: joined }),
    leave: async (user) => profiles.deleteListSubscription(user),
  }
}

function seventh(baseURL: string, apiKey: string): ListClient {
  const { lists, profiles } = new Courier7({ baseURL, apiKey })
  return {
    put: async (list, name) => lists.update(list, { name }),
    get: async (list) => lists.retrieve(list),
    list: async (query) => lists.list(query),
    delete: async (list) => lists.delete(list),
    restore: async (list) => lists.restore(list, {}),
    subscriptions: async (list) => lists.subscriptions.list(list),
    replace: async (list, recipients) => lists.subscriptions.subscribe(list, { recipients }),
    add: async (list, recipients) => lists.subscriptions.add(list, { recipients }),
    subscribe: async (list, user) => lists.subscriptions.subscribeUser(user, { list_id: list }),
    unsubscribe: async (list, user) => lists.subscriptions.unsubscribeUser(user, { list_id: list }),
    listsOf: async (user) => profiles.lists.retrieve(user),
    join: async (user, joined) => profiles.lists.subscribe(user, { lists: joined }),
    leave: async (user) => profiles.lists.delete(user),
  }
}
