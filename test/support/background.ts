/** Background jobs, each run when a test calls it, until nothing is due: a recording app runs none by itself. */
import type { Engine } from '@postrider/server'
import { createMembershipUpdater } from '@postrider/server/internal/audiences/update-members'
import { createScheduler } from '@postrider/server/internal/automations/runs/triggers'
import { mergeCounts } from '@postrider/server/internal/database/tables/messages/counts'
import { appSecretKey, type RecordingApp } from './recording-app.ts'

/** Recomputes the members of audiences. */
export async function updateMembers({ engine, time }: RecordingApp): Promise<void> {
  const updater = createMembershipUpdater({ engine, clock: { now: () => time.now } })
  while (await updater.step());
}

/** Starts the runs of schedules, on so many nodes at the same time. */
export async function startScheduledRuns({ engine, time }: RecordingApp, nodes = 1): Promise<void> {
  await Promise.all(
    Array.from({ length: nodes }, async () => {
      const step = createScheduler({ engine, secretKey: appSecretKey, now: () => time.now, wake: () => undefined })
      while ((await step()) === 0);
    }),
  )
}

/** Merges the counts of messages; resolves with the number of merged rows. */
export const mergeMessageCounts = (engine: Engine, now: number): Promise<number> => mergeCounts(engine, now, 1_000)
