/** For calls without a key: the tokens that a server of a secret key has given out, and the readers of callbacks. */
import { createLog } from '@postrider/server/internal/base/log'
import type { SecretKey } from '@postrider/server/internal/base/secret'
import { type EarlierChoice, earlierText, formToken } from '@postrider/server/internal/preference-page/form'
import { recipientLinks } from '@postrider/server/internal/preferences/recipient-links'
import { providers } from '@postrider/server/internal/providers/catalog'
import { callbackUrl, readCallback } from '@postrider/server/internal/receipts/callback'
import { signToken } from '@postrider/server/internal/tracking/tracker'

/** Values of `:token` by the path of the operation, of the nth recipient and message; by method, too, where they differ. */
export function signedTokens(
  key: SecretKey,
  integrationId = 'unknown',
  { n = 0, topicId = '', tenantId = '' } = {},
): Record<string, string> {
  const link = recipientLinks(key, '')
  const messageId = `1-6b003526-0d0000fb728caf43${n.toString(16).padStart(8, '0')}`
  const message = { workspaceId: 1, userId: `ada-${n}`, tenantId, topicId, messageId }
  const delivery = { workspaceId: 1, messageId, n: 0, at: Date.UTC(2026, 0, 5), hasPixel: false }
  const click = signToken(key, 'click', delivery, 'https://example.com/') ?? ''
  const event = signToken(key, 'event', delivery) ?? ''
  const last = (path: string) => path.split('/').at(-1) ?? ''
  return {
    '/u/:token': last(link('unsubscribe', message)),
    '/p/:token': last(link('preferences', message)),
    '/callbacks/:token': last(callbackUrl(key, '', 1, integrationId)),
    '/o/:token': signToken(key, 'open', delivery) ?? '',
    '/r/:token': click,
    '/e/:token': event,
    '/t/:token': event,
    'GET /t/:token': click,
  }
}

export interface PageTopic {
  id: string
  channels: readonly string[]
}

type Field = [name: string, value: string]

/** Bodies of the forms of the page of preferences, all of them valid for `link`, by what they do. */
export function pageForms(key: SecretKey, topics: readonly PageTopic[]): Record<string, (link: string) => string> {
  const form =
    (action: string, fields: readonly Field[] = [], before: readonly EarlierChoice[] = []) =>
    (link: string) => {
      const token = formToken(key, link, Date.now(), before)
      return new URLSearchParams([['action', action], ['form', token], ...fields]).toString()
    }
  const save = (isOn: boolean, isChosen: (channel: string) => boolean) =>
    form(
      'save',
      topics.flatMap(({ id, channels }): Field[] => [
        ['topic', id],
        ...(isOn ? [['on', id] satisfies Field] : []),
        ...channels.filter(isChosen).map((channel): Field => ['channel', `${id} ${channel}`]),
      ]),
    )
  const many = (name: string, value: (n: number) => string) =>
    form(
      'save',
      Array.from({ length: FIELDS }, (_, n): Field => [name, value(n)]),
    )
  const earlier = topics.map(({ id }): EarlierChoice => {
    const channels = { hasCustomRouting: false, customRouting: [] }
    return { topicId: id, status: 'OPTED_OUT', ...channels }
  })
  return {
    unchanged: save(true, () => true),
    'all off': save(false, () => true),
    'other channels': save(true, (channel) => channel !== 'email'),
    'unknown topics': many('topic', (n) => `unknown-topic-of-some-length-${n}`),
    'unknown channels': many('channel', (n) => `unknown-topic-of-some-length-${n} email`),
    'channels of one topic': many('channel', (n) => `${topics[0]?.id} channel-${n}`),
    unsubscribe: form('unsubscribe'),
    'unsubscribe from all': form('unsubscribe_all'),
    undo: form(
      'undo',
      earlier.map((choice): Field => ['before', earlierText(choice)]),
      earlier,
    ),
    'one click': () => 'List-Unsubscribe=One-Click',
  }
}

/** As many as the page reads, less its own two. */
const FIELDS = 9_998

/** Each reads the callback of its provider with the settings of its example, and a text for each that verifies callbacks. */
export const callbackReaders = [...providers.values()]
  .filter(({ callbacks }) => callbacks)
  .map((provider) => {
    const forCallbacks = Object.entries(provider.settings.properties).filter(
      ([, schema]) => (schema as { group?: string }).group === 'callbacks',
    )
    const settings = { ...Object.fromEntries(forCallbacks.map(([name]) => [name, 'x'])), ...provider.example.settings }
    const transport = { perform: () => Promise.reject(new Error('no request was expected')) }
    return {
      provider: provider.key,
      read: (headers: Record<string, string>, body: Buffer) =>
        readCallback(
          provider,
          settings,
          { method: 'POST', url: 'http://postrider.test/callbacks/x', headers, body, now: Date.now() },
          { transport, log: createLog('silent') },
        ),
    }
  })
