/** A JSON Patch as clients of the public API send it: its pointers may lack their slash. */
import { bodyDepthMax, type PatchOperation, patchOperationsMax } from '@postrider/contract'
import { invalidRequest } from '../base/errors.ts'
import { PatchInvalid, patchJson } from '../base/json/json-patch.ts'

/** The patched document. Throws a 400 that names the operation. */
export function patchedBy(patch: readonly PatchOperation[], document: unknown, bytesMax: number): unknown {
  const bounds = { operationsMax: patchOperationsMax, bytesMax, depthMax: bodyDepthMax }
  try {
    return patchJson(document, patch.map(withSlashes), bounds)
  } catch (error) {
    if (error instanceof PatchInvalid) throw invalidRequest(error.message, error)
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
