/** Reads the callback of a provider with its adapter, and keeps the receipts in it for later. */
import type { Reply } from '../base/exchange.ts'
import { timedId } from '../base/ids.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Log } from '../base/log.ts'
import { memo } from '../base/perf/cache.ts'
import type { SecretKey } from '../base/secret.ts'
import { type LinkKind, readLink, signLink } from '../base/signed-link.ts'
import { SECOND } from '../base/time/duration.ts'
import type { NewReceipt } from '../database/tables/messages/receipts.ts'
import { type CallbackOutcome, type CallbackRequest, type Receipt, refused } from '../providers/callback.ts'
import type { Provider } from '../providers/provider.ts'
import type { Transport } from '../transport/transport.ts'
import type { NumberedReceipt } from './apply.ts'

const KIND: LinkKind = 'callback'

/** The address that a provider reports to. It outlives changes of the integration and a rotation of the secret key. */
export const callbackUrl = (key: SecretKey, publicUrl: string, workspaceId: number, integrationId: string): string =>
  `${publicUrl}/callbacks/${signLink(key, KIND, [String(workspaceId), integrationId])}`

/** The same for the calls of many messages: each address is made once. */
export function callbackUrls(
  key: SecretKey,
  publicUrl: string,
): (workspaceId: number, integrationId: string) => string {
  const made = memo(1_000, (place) => {
    const [workspace, integration = ''] = place.split(' ')
    return callbackUrl(key, publicUrl, Number(workspace), integration)
  })
  return (workspaceId, integrationId) => made(`${workspaceId} ${integrationId}`)
}

/** Undefined for an address that this installation did not give out. */
export function readCallbackToken(
  key: SecretKey,
  token: string,
): { workspaceId: number; integrationId: string } | undefined {
  const [workspace, integrationId] = readLink(key, KIND, token) ?? []
  return integrationId === undefined ? undefined : { workspaceId: Number(workspace), integrationId }
}

/** A certificate, and the confirmation of an address. */
const REQUESTS_MAX = 2
/** Providers wait for ten seconds and longer. */
const TIMEOUT_MS = 5 * SECOND

interface ReadOptions {
  transport: Pick<Transport, 'perform'>
  log: Log
}

/** Never throws: a reader that fails refuses, and the provider repeats the callback. */
export async function readCallback(
  { key, callbacks }: Provider,
  settings: JsonObject,
  request: CallbackRequest,
  { transport, log }: ReadOptions,
): Promise<CallbackOutcome> {
  if (!callbacks) return refused(`${key} has no callbacks`)
  try {
    const steps = callbacks.read(request, settings)
    if ('kind' in steps) return steps
    let step = steps.next()
    for (let requests = 0; !step.done; requests += 1) {
      if (requests === REQUESTS_MAX) throw new Error(`${key} yields more than ${REQUESTS_MAX} requests`)
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      const reply: Reply = await transport.perform(step.value, { signal, timeoutMs: TIMEOUT_MS })
      step = steps.next(reply)
    }
    return step.value
  } catch (error) {
    log.error({ event: 'provider.adapter_failed', err: error, provider: key }, 'an adapter failed')
    return refused('The callback could not be read')
  }
}

/** Longer words of a provider are cut: a row of history has them. */
const ERROR_MAX = 500
const URL_MAX = 2_048

/** `integration`: the one whose callback it came by. */
export function newReceipt(
  workspaceId: number,
  { deliveryId, ...receipt }: Receipt & Pick<NumberedReceipt, 'integration'>,
  now: number,
): NewReceipt {
  const at = deliveryId.lastIndexOf('-')
  const { error, url } = receipt
  return {
    id: timedId(now),
    workspace_id: workspaceId,
    message_id: deliveryId.slice(0, at),
    n: Number(deliveryId.slice(at + 1)),
    due_at: now,
    receipt: JSON.stringify({
      ...receipt,
      ...(error !== undefined && { error: error.slice(0, ERROR_MAX).toWellFormed() }),
      ...(url !== undefined && { url: url.slice(0, URL_MAX).toWellFormed() }),
    }),
  }
}
