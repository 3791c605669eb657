/** JSON Patch (RFC 6902): all operations or none, on a copy, within bounds, and never on what an object inherits. */
import { applyPatch, type Operation } from 'rfc6902'
import { isObject, jsonBytes, jsonError, valueAt } from './json.ts'

export interface PatchBounds {
  operationsMax: number
  /** The size of the document as JSON, after each operation: `copy` can double it. */
  bytesMax: number
  depthMax: number
}

/** The patch cannot be applied; the text names the operation. */
export class PatchInvalid extends Error {
  override readonly name = 'PatchInvalid'
}

const NEEDS: Record<string, readonly string[]> = {
  add: ['value'],
  remove: [],
  replace: ['value'],
  move: ['from'],
  copy: ['from'],
  test: ['value'],
}

/** The patched document; the original is not changed. Throws `PatchInvalid`. */
export function patchJson(document: unknown, patch: readonly unknown[], bounds: PatchBounds): unknown {
  if (patch.length > bounds.operationsMax)
    throw new PatchInvalid(`patch has more than ${bounds.operationsMax} operations`)
  // The library cannot replace a whole document, but the member of one.
  const holder = { r: structuredClone(document) }
  patch.forEach((operation, index) => {
    const error = apply(holder, operation) ?? outOfBounds(holder.r, bounds)
    if (error) throw new PatchInvalid(`patch.${index}: ${error}`)
  })
  return holder.r
}

function apply(holder: { r: unknown }, entry: unknown): string | undefined {
  if (!isObject(entry)) return 'must be an object'
  const { op, path } = entry
  const needs = typeof op === 'string' && Object.hasOwn(NEEDS, op) ? NEEDS[op] : undefined
  if (!needs) return 'op must be one of `add`, `remove`, `replace`, `move`, `copy`, `test`'
  for (const name of needs) if (!Object.hasOwn(entry, name)) return `${name} is required`
  const operation = { ...entry, path: inHolder(path), ...('from' in entry ? { from: inHolder(entry.from) } : {}) }
  const invalid = pathError(holder, 'path', operation.path, op === 'add' || op === 'move' || op === 'copy')
  if (invalid) return invalid
  if (needs.includes('from')) {
    const source = pathError(holder, 'from', operation.from, false)
    if (source) return source
  }
  // The library would look for every difference first, in time and stack that grow with the product of the lists.
  if (op === 'test')
    return isSame(valueAt(holder, tokensOf(operation.path ?? '')), entry.value) ? undefined : 'the test failed'
  const [error] = applyPatch(holder, [operation as unknown as Operation])
  return error ? `${op} cannot be done at this place` : undefined
}

function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, n) => isSame(item, b[n]))
  if (!isObject(a) || !isObject(b)) return a === b
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
}

const tokensOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))

const inHolder = (pointer: unknown) => (pointer === '' || String(pointer).startsWith('/') ? `/r${pointer}` : undefined)

/** Undefined when the pointer leads to something of the document's own or, with `open`, to where it can be added. */
function pathError(
  holder: unknown,
  name: 'path' | 'from',
  pointer: string | undefined,
  open: boolean,
): string | undefined {
  if (pointer === undefined) return `${name} must be empty or begin with /`
  // RFC 6901, section 3.
  if (/~(?![01])/.test(pointer)) return `${name} must not contain a ~ that is not part of ~0 or ~1`
  const tokens = tokensOf(pointer)
  let here = holder
  for (const [index, token] of tokens.entries()) {
    // The library ignores these three.
    if (token === '__proto__' || token === 'constructor' || token === 'prototype')
      return `${name} must not contain ${token}`
    const last = index === tokens.length - 1
    if (Array.isArray(here)) {
      const position = token === '-' && open ? here.length : /^(0|[1-9]\d{0,8})$/.test(token) ? Number(token) : -1
      if (position === here.length && last && open) return undefined
      if (position < 0 || position >= here.length) return `${name} leads nowhere`
      here = here[position]
    } else if (isObject(here)) {
      if (!Object.hasOwn(here, token)) return last && open ? undefined : `${name} leads nowhere`
      here = here[token]
    } else return `${name} leads nowhere`
  }
  return undefined
}

function outOfBounds(document: unknown, { bytesMax, depthMax }: PatchBounds): string | undefined {
  const invalid = jsonError(document, depthMax)
  if (invalid) return `the document then ${invalid}`
  const bytes = jsonBytes(document)
  return bytes > bytesMax ? `the document then has more than ${bytesMax} bytes` : undefined
}
