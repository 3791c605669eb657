/** Readers of the state of a screen in the address; unknown and malformed parts are dropped. */

/** The router reads digits as a number. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** One text or several; undefined without any. */
export function textsOf(value: unknown): string[] | undefined {
  const list = [value].flat().flatMap((each) => textOf(each) ?? [])
  return list.length > 0 ? list : undefined
}

export const oneOf = <const Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((each) => each === value)

/** Leaves out what is undefined, so that it is left out of the address, too. */
export const present = <Search extends object>(
  search: {
    [Name in keyof Search]: Search[Name] | undefined
  },
): Partial<Search> =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as Partial<Search>

/** A change of the address; an undefined part is removed from it. */
export type Changes<Search> = { [Name in keyof Search]?: Search[Name] | undefined }

export const merged = <Search extends object>(search: Search, changes: Changes<Search>): Search =>
  present<Search>({ ...search, ...changes }) as Search

/**
 * For a route: the router lays what a screen reads over the address as it is written, so that parts the reader drops
 * would reach the screen. They are undefined instead.
 */
export const dropUnread =
  <Search extends object>(read: (search: Record<string, unknown>) => Search) =>
  (search: Record<string, unknown>): Search => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...read(search),
  })
