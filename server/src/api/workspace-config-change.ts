/** Notifies every node that the configuration of a workspace has changed. */
import type { Call } from './call.ts'

/** A hint: the change is stored already, and nodes read again by themselves. */
export async function catalogueChanged({ house, caller }: Call): Promise<void> {
  await house.engine
    .notify('catalogue', String(caller.workspaceId))
    .catch((error: unknown) => house.log.debug({ err: error }, 'no hint of a changed catalogue'))
}
