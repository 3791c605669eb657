/** The kinds of the fields of a step: name, address or content. A value is interpolated into each differently. */

/** Paths of keys with dots between; positions in lists do not count. */
export interface FieldKinds {
  /** What tells one from another, or says who it is for: without a hole. What stands below is one too, but for `data`. */
  names?: readonly string[]
  /** Names, in whose path and query a value is encoded. */
  addresses?: readonly string[]
  /** Content with words of its own, which hold values only as variables. */
  content?: string
}

/** `around`: the content may be in it. */
export type Place = 'text' | 'name' | 'address' | 'content' | 'around'

/** Words and notes of people, wherever they stand. */
const FREE = /\.(?:data|profile|preferences|properties)(?:\.|$)/

export function fieldKindOf(at: string, { names = [], addresses = [], content }: FieldKinds): Place {
  if (addresses.includes(at)) return 'address'
  if (content !== undefined && at === content) return 'content'
  if (content !== undefined && at !== '' && content.startsWith(`${at}.`)) return 'around'
  const isName = names.some((name) => at === name || (at.startsWith(`${name}.`) && !FREE.test(at.slice(name.length))))
  return isName ? 'name' : 'text'
}
