/** update-profile: writes new data into a stored profile. */
import { bodyDepthMax, profileBytesMax } from '@postrider/contract'
import { combine, type JsonObject, jsonBytes, jsonError } from '../../base/json/json.ts'
import { profileSave } from '../../database/tables/users/users.ts'
import { reportUnknownZones } from '../profile-zones.ts'
import { FieldInvalid, type StepBehavior, StepFailed } from '../step.ts'
import { changesNothing } from './shared/changes-nothing.ts'

interface SavedProfile {
  recipient: string
  profile: JsonObject
  /** The version that was read; undefined: there was none. */
  version: number | undefined
}

export default {
  fieldKinds: { names: ['recipient_id'] },
  checkWritten({ profile }, { at, report }) {
    reportUnknownZones(profile, `${at}.profile`, report)
  },
  async run({ recipient_id, profile: incoming, merge = 'replace' }, { run, store }) {
    if (run.mode !== 'live') return changesNothing(run, 'profile')
    const recipient = String(recipient_id)
    const error = jsonError(incoming, bodyDepthMax)
    if (error) throw new FieldInvalid('profile', error)
    const storedProfile = await store.profile(run.workspaceId, recipient)
    const profile = combine(storedProfile?.profile ?? {}, incoming, merge)
    if (jsonBytes(profile) > profileBytesMax)
      throw new StepFailed(`The profile would be larger than ${profileBytesMax} bytes`)
    return {
      kind: 'next',
      effects: { ofStep: { recipient, profile, version: storedProfile?.version } },
      result: { recipient_id: recipient, merge },
    }
  },
  effect: {
    durable: ({ recipient, profile, version }, { engine, run, now }) => [
      // Another write came first: the step reads the profile again.
      { statement: profileSave(engine.tokens, run.workspaceId, recipient, profile, version, now), otherwise: 'again' },
    ],
    inMemory: ({ recipient, profile }, data) => data.saveProfile(recipient, profile),
  },
} satisfies StepBehavior<'update-profile', SavedProfile>
