/** The order of what ⌘K finds: names with a word that begins so, then people, names that have it inside, and bare ids. */

export interface Target {
  label: string
  to: string
}

export interface NamedTarget extends Target {
  /** By which it is found. */
  names: readonly string[]
}

/** Its text with a space before each word. */
const spaced = (text: string) => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')}`

const startsWord = (search: string) => {
  const start = spaced(search.trim())
  return ({ names }: NamedTarget) => names.some((name) => spaced(name).includes(start))
}

const hasInside = (search: string) => {
  const lower = search.trim().toLowerCase()
  return ({ names }: NamedTarget) => names.some((name) => name.toLowerCase().includes(lower))
}

const FOUND_MAX = 8

export interface Found {
  screens: readonly NamedTarget[]
  names: readonly NamedTarget[]
  people: readonly Target[]
  ids: readonly Target[]
}

/** Each target once. */
export function inOrder(search: string, { screens, names, people, ids }: Found) {
  const isStart = startsWord(search)
  const isInside = hasInside(search)
  const namesFound = search === '' ? [] : names
  const inside = [...screens, ...namesFound].filter((target) => !isStart(target) && isInside(target))
  const groups = [
    { name: 'screens' as const, targets: screens.filter(isStart) },
    { name: 'names' as const, targets: namesFound.filter(isStart).slice(0, FOUND_MAX) },
    { name: 'people' as const, targets: people },
    { name: 'inside' as const, targets: inside.slice(0, FOUND_MAX) },
    { name: 'ids' as const, targets: search === '' ? [] : ids },
  ]
  const places = new Set<string>()
  const firstOf = ({ to }: Target) => !places.has(to) && places.add(to)
  return groups
    .map(({ name, targets }) => ({ name, targets: targets.filter(firstOf) }))
    .filter(({ targets }) => targets.length > 0)
}
