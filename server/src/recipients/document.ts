/** Documents that calls write about a recipient: bounded in size, changed by JSON Patch. */
import { bodyDepthMax, type PatchOperation, patchOperationsMax, profileBytesMax } from '@postrider/contract'
import { invalidRequest, tooLarge } from '../base/errors.ts'
import { type JsonObject, jsonBytes } from '../base/json/json.ts'
import { PatchInvalid, patchJson } from '../base/json/json-patch.ts'

/** The patched document. Throws a 400 that names the operation. */
export function patchedBy(patch: readonly PatchOperation[], document: unknown, bytesMax: number): unknown {
  const bounds = { operationsMax: patchOperationsMax, bytesMax, depthMax: bodyDepthMax }
  try {
    return patchJson(document, patch.map(withSlashes), bounds)
  } catch (error) {
    if (error instanceof PatchInvalid)
      throw invalidRequest(error.message, { code: 'invalid_field', param: 'patch', cause: error })
    throw error
  }
}

const withSlashes = ({ path, from, ...operation }: PatchOperation): PatchOperation => ({
  ...operation,
  path: withSlash(path),
  ...(from !== undefined && { from: withSlash(from) }),
})

/** The empty pointer is the whole document. */
const withSlash = (pointer: string) => (pointer === '' || pointer.startsWith('/') ? pointer : `/${pointer}`)

/** Throws a 413. */
export function boundedProfile(profile: JsonObject): JsonObject {
  if (jsonBytes(profile) > profileBytesMax) throw tooLarge(`A profile has at most ${profileBytesMax} bytes`, 'profile')
  return profile
}
