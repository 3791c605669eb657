/** Compares a folder with a server, and both with what was there when they were last the same. */
import { digestOf, isSame, type ServerDefinition } from './definition.ts'
import type { FileDefinition } from './folder.ts'

/**
 * `same`; `changed_here`: only the file is another one than before; `changed_on_server`: only the server's is;
 * `changed_on_both`, also where nothing is known of before; `only_here`: new in the folder; `only_on_server`: new on
 * the server; `gone_from_server` and `gone_from_here`: it was on both sides.
 */
type Difference =
  | 'same'
  | 'changed_here'
  | 'changed_on_server'
  | 'changed_on_both'
  | 'only_here'
  | 'only_on_server'
  | 'gone_from_server'
  | 'gone_from_here'

export interface Compared {
  name: string
  difference: Difference
  /** One side was removed, and the other one is no longer as it was then. */
  changedSince: boolean
  here: FileDefinition | undefined
  server: ServerDefinition | undefined
}

export function compare(
  here: readonly FileDefinition[],
  server: readonly ServerDefinition[],
  digests: ReadonlyMap<string, string>,
): Compared[] {
  const ours = new Map(here.map((each) => [each.name, each]))
  const theirs = new Map(server.map((each) => [each.name, each]))
  const names = [...new Set([...ours.keys(), ...theirs.keys()])].sort()
  return names.map((name) => {
    const [inFile, other, before] = [ours.get(name), theirs.get(name), digests.get(name)]
    const left = inFile ?? other
    const changedSince = before !== undefined && left !== undefined && digestOf(left.document) !== before
    return { name, difference: differenceOf(inFile, other, before), changedSince, here: inFile, server: other }
  })
}

function differenceOf(
  here: FileDefinition | undefined,
  server: ServerDefinition | undefined,
  before: string | undefined,
): Difference {
  if (!server) return before === undefined ? 'only_here' : 'gone_from_server'
  if (!here) return before === undefined ? 'only_on_server' : 'gone_from_here'
  if (isSame(here.document, server.document)) return 'same'
  if (before === digestOf(server.document)) return 'changed_here'
  return before === digestOf(here.document) ? 'changed_on_server' : 'changed_on_both'
}
