/** The difference of two profiles as a JSON Patch that fails when another writer has changed the same keys meanwhile. */
import type { PatchOperation } from '@postrider/client'

type Profile = Record<string, unknown>

export function profilePatch(before: Profile, after: Profile): PatchOperation[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap((key): PatchOperation[] => {
    const [old, next] = [before[key], after[key]]
    if (isSame(old, next)) return []
    const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const tests: PatchOperation[] = key in before ? [{ op: 'test', path, value: old }] : []
    if (!(key in after)) return [...tests, { op: 'remove', path }]
    return [...tests, { op: key in before ? 'replace' : 'add', path, value: next }]
  })
}

function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const [a, b] = [left as Profile, right as Profile]
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isSame(a[key], b[key]))
}
