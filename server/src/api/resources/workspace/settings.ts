/** /settings: how an environment treats its messages. */
import { holdEndedMark } from '../../../database/tables/messages/held-messages.ts'
import { settingsUpdate, workspaceSettings } from '../../../database/tables/workspace/settings.ts'
import { success } from '../../call.ts'
import { changesConfig, type ResourceHandlers } from '../../outcome.ts'

export const settings = {
  'settings.get': async (_input, { app, caller }) =>
    success('settings.get', await workspaceSettings(app.database, caller.workspaceId)),
  'settings.update': async ({ body }, { app, caller, now }) => {
    const before = await workspaceSettings(app.database, caller.workspaceId)
    const { hold_misconfigured, on_missing_variable } = body
    const change = {
      ...(hold_misconfigured !== undefined && { hold_misconfigured }),
      ...(on_missing_variable !== undefined && { on_missing_variable }),
    }
    const after = { ...before, ...change }
    const isEnded = before.hold_misconfigured && !after.hold_misconfigured
    return {
      reply: success('settings.update', after),
      writes: [
        // The others stay as they are: another call may change them at the same time.
        ...(Object.keys(change).length > 0 ? [settingsUpdate(caller.workspaceId, change)] : []),
        // Held messages are tried once more, and then end as they would have.
        ...(isEnded ? [holdEndedMark(caller.workspaceId, now)] : []),
      ],
      changesConfig,
    }
  },
} satisfies ResourceHandlers<'settings'>
