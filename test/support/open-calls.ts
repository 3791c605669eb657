/** For calls without a key: the tokens that a server of a secret key has given out, and the readers of callbacks. */
import { createLog } from '@postrider/server/internal/base/log'
import type { SecretKey } from '@postrider/server/internal/base/secret'
import { recipientLinks } from '@postrider/server/internal/preferences/recipient-links'
import { providers } from '@postrider/server/internal/providers/catalog'
import { callbackUrl, readCallback } from '@postrider/server/internal/receipts/callback'
import { signToken } from '@postrider/server/internal/tracking/tracker'

const messageId = '1-6b003526-0d0000fb728caf43603ec02d'

/** Values of `:token` by the path of the operation. */
export function signedTokens(key: SecretKey, integrationId = 'unknown'): Record<string, string> {
  const link = recipientLinks(key, '')
  const message = { workspaceId: 1, userId: 'ada', tenantId: '', topicId: '', messageId }
  const event = signToken(key, 'event', { workspaceId: 1, messageId, n: 0, at: Date.UTC(2026, 0, 5), hasPixel: false })
  const last = (path: string) => path.split('/').at(-1) ?? ''
  return {
    '/u/:token': last(link('unsubscribe', message)),
    '/p/:token': last(link('preferences', message)),
    '/callbacks/:token': last(callbackUrl(key, '', 1, integrationId)),
    '/e/:token': event ?? '',
    '/t/:token': event ?? '',
  }
}

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
