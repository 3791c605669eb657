/** The size limit of stored profiles. */
import { profileBytesMax } from '@postrider/contract'
import { tooLarge } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'

/** Throws a 413. */
export function boundedProfile(profile: JsonObject): JsonObject {
  if (Buffer.byteLength(JSON.stringify(profile)) > profileBytesMax)
    throw tooLarge(`A profile has at most ${profileBytesMax} bytes`)
  return profile
}
