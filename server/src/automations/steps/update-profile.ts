/** update-profile: writes what comes in into a stored profile. */
import { bodyDepthMax, profileBytesMax } from '@postrider/contract'
import { jsonFault } from '../../base/json/json-bounds.ts'
import { FieldInvalid, type StepBehavior, StepFailed } from '../step.ts'
import { combine } from './merge-strategies.ts'

export const updateProfile: StepBehavior<'update-profile'> = {
  fieldKinds: { names: ['recipient_id'] },
  async act({ recipient_id, profile: incoming, merge = 'replace' }, { run, store }) {
    const recipient = String(recipient_id)
    const fault = jsonFault(incoming, bodyDepthMax)
    if (fault) throw new FieldInvalid('profile', fault)
    const stored = await store.profile(run.workspaceId, recipient)
    const profile = combine(stored?.profile ?? {}, incoming, merge)
    if (Buffer.byteLength(JSON.stringify(profile)) > profileBytesMax)
      throw new StepFailed(`The profile would be larger than ${profileBytesMax} bytes`)
    return {
      kind: 'next',
      effects: { profile: { recipient, profile, version: stored?.version } },
      result: { recipient_id: recipient, merge },
    }
  },
}
