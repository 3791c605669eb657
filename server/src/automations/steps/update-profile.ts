/** update-profile: writes new data into a stored profile. */
import { bodyDepthMax, profileBytesMax } from '@postrider/contract'
import { combine, isObject, type JsonObject, jsonBytes, jsonError } from '../../base/json/json.ts'
import { quoted } from '../../base/quote.ts'
import { isKnownTimeZone } from '../../base/time/time-zone.ts'
import { profileSave } from '../../database/tables/users/users.ts'
import { referencesIn } from '../references/references.ts'
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
    if (!isObject(profile)) return
    for (const name of ['zoneinfo', 'timezone']) {
      const zone = profile[name]
      if (typeof zone === 'string' && zone !== '' && referencesIn(zone).length === 0 && !isKnownTimeZone(zone))
        report(
          () =>
            `${at}.profile.${name} is ${quoted(zone)}, which is not a time zone: delays and opening hours of the recipient ignore it.`,
        )
    }
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
