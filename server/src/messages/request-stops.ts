/** Pauses, resumes and cancels all messages of a request: at once here and on other nodes, and whatever process dies. */
import { setTimeout as pause } from 'node:timers/promises'
import { SECOND } from '../base/time/duration.ts'
import {
  countLiveOf,
  type Stop,
  type StoppedRequest,
  wakeMessagesOf,
} from '../database/tables/messages/stopped-requests.ts'
import { type CancelStepOptions, cancelSome } from './cancel-request.ts'
import type { Runner } from './runner.ts'

export interface RequestStops {
  /**
   * After the commit that stops the request: resolves when no node calls a provider for it any more, with the calls in
   * progress, or after a second. The steps of a canceled one cancel the rest.
   */
  stopped(request: StoppedOfWorkspace): Promise<void>
  /** After the commit that ends its pause. */
  resumed(request: Omit<StoppedOfWorkspace, 'stopped' | 'by'>): Promise<void>
}

interface StoppedOfWorkspace extends StoppedRequest {
  workspaceId: number
}

export interface RequestStopOptions extends CancelStepOptions {
  runner: Pick<Runner, 'stopRequest'>
}

/** Notifies nodes that a request was stopped, or goes on: they may have leased messages of it. */
const STOP_CHANNEL = 'request_stop'
/** How long the nodes that lease its messages may take. */
const ANSWER_MS = SECOND
const POLL_MS = 20
/** Messages are counted until here only: whether any is left is what matters. */
const COUNTED_MAX = 1_000

export function createRequestStops(options: RequestStopOptions): RequestStops & { listen(): Promise<void> } {
  const { engine, runner, now } = options
  const notify = async (notice: Notice) => {
    runner.stopRequest(notice.id, notice)
    await engine.notify(STOP_CHANNEL, JSON.stringify(notice))
  }
  const leasedOf = async (request: { workspaceId: number; id: string }) =>
    (await countLiveOf(engine, request, now(), COUNTED_MAX)).leased
  return {
    async stopped({ workspaceId, ...stop }) {
      const request = { workspaceId, id: stop.id }
      await notify(stop)
      const end = now() + ANSWER_MS
      do {
        if (stop.stopped === 'canceled' && (await cancelSome({ ...request, by: stop.by }, options)) > 0) continue
        if ((await leasedOf(request)) === 0) return
        await pause(POLL_MS)
      } while (now() < end)
    },
    async resumed(request) {
      await notify({ id: request.id })
      const end = now() + ANSWER_MS
      // Messages that nodes leave just now wait for the end of the pause once more.
      do {
        await wakeMessagesOf(engine, request, now())
        if ((await leasedOf(request)) === 0) return
        await pause(POLL_MS)
      } while (now() < end)
    },
    listen: () =>
      engine.listen(STOP_CHANNEL, (payload) => {
        const notice = JSON.parse(payload) as Notice
        runner.stopRequest(notice.id, notice)
      }),
  }
}

/** Without `stopped`: the request goes on. */
interface Notice {
  id: string
  stopped?: Stop
  by?: string
}
