/** /system: the state of the installation. */
import { readSystem } from '../../../installation/system.ts'
import { success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'

export const system = {
  'system.get': async (_input, { app, caller, now }) => {
    const { database, log, clock, service, publicUrl } = app
    const { workspaceId } = caller
    const parts = await readSystem({
      ...{ database, log, workspaceId, backup: service.backup },
      ...{ at: now, now: () => clock.now() },
    })
    return success('system.get', {
      ...{ at: now, version: service.version, node: service.node, retention_days: service.retentionDays },
      public_url: service.isPublic ? publicUrl : null,
      paused_since: service.pause.since ?? null,
      paused_by: service.pause.by ?? null,
      ...parts,
    })
  },
} satisfies ResourceHandlers<'system'>
