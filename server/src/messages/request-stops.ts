/** Pauses, resumes and cancels all messages of a request: at once here and on other nodes, and whatever process dies. */
import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../base/time/duration.ts'
import {
  countLeased,
  hasLiveMessages,
  putOffPaused,
  type Stop,
  type StoppedRequest,
  wakePaused,
} from '../database/tables/messages/stopped-requests.ts'
import { type CancelStepOptions, cancelSome } from './cancel-request.ts'
import { PAUSE_MS } from './deliver/settlement.ts'
import type { Runner } from './runner.ts'

export interface RequestStops {
  /**
   * After the commit that stops the request: resolves when no node calls a provider for it any more, with the calls in
   * progress, or after a second. The steps of a canceled one cancel the rest.
   */
  enforce(request: StoppedOfWorkspace): Promise<void>
  /** After the commit that ends its pause. */
  resume(request: Pick<StoppedOfWorkspace, 'workspaceId' | 'id'>): Promise<void>
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

export function createRequestStops(options: RequestStopOptions): RequestStops & { listen(): Promise<void> } {
  const { engine, runner, now } = options
  const notify = (notice: Notice) => engine.notify(STOP_CHANNEL, JSON.stringify(notice))
  return {
    async enforce({ workspaceId, ...stop }) {
      const request = { workspaceId, id: stop.id }
      await notify(stop)
      if (stop.stopped === 'paused') await putOffPaused(engine, request, { now: now(), ms: PAUSE_MS })
      const end = now() + ANSWER_MS
      do {
        const isCanceled = stop.stopped === 'canceled'
        if (isCanceled && (await cancelSome({ ...request, by: stop.by }, options)) > 0) continue
        // A step of the request may have canceled the same messages first: others are left.
        const isLeft = isCanceled
          ? await hasLiveMessages(engine, request)
          : (await countLeased(engine, request, now())) > 0
        if (!isLeft) return
        await sleep(POLL_MS)
      } while (now() < end)
    },
    async resume(request) {
      await notify({ id: request.id })
      await wakePaused(engine, request, now())
      const end = now() + ANSWER_MS
      let waits = false
      while (now() < end && (await countLeased(engine, request, now())) > 0) {
        waits = true
        await sleep(POLL_MS)
      }
      // Nodes that had messages in flight may have left some of them meanwhile.
      if (waits) await wakePaused(engine, request, now())
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
