/** The generations of the official SDK, and their methods found by looking at the client, so that none is forgotten. */

/** JSON of any shape. */
export type Made = ReturnType<typeof JSON.parse>
export type Call = (...args: unknown[]) => Promise<Made>

export interface Generation {
  version: string
  major: number
  open(url: string, apiKey: string): Promise<object>
}

const generation = (version: string): Generation => {
  const major = Number.parseInt(version, 10)
  return {
    version,
    major,
    async open(url, key) {
      const loaded: Made = await import(`courier${major}`)
      const options = { baseUrl: url, baseURL: url, authorizationToken: key, apiKey: key }
      // Up to 5 it is a function, then a class; the seventh has another name for it.
      if (major < 6) return loaded.CourierClient(options)
      return major === 6 ? new loaded.CourierClient(options) : new loaded.Courier(options)
    },
  }
}

export const generations = ['1.7', '2.8', '3.16', '4.9', '5.7', '6.6', '7.10'].map(generation)

/** Resources of resources: deeper than any generation goes. */
const LEVELS_MAX = 4

/** Members that clients keep beside their resources, and no caller uses. */
const INNER = /^(_|logger$|constructor$)/

/** Every method by its path: `lists.get`. */
export function methodsOf(client: object): Map<string, Call> {
  const methods = new Map<string, Call>()
  collect(client, '', methods, LEVELS_MAX)
  return methods
}

function collect(holder: object, place: string, methods: Map<string, Call>, levels: number): void {
  if (levels === 0) return
  for (const name of namesOf(holder, place === '')) {
    const value: unknown = (holder as Record<string, unknown>)[name]
    if (typeof value === 'function') methods.set(`${place}${name}`, (value as Call).bind(holder))
    else if (isResource(value)) collect(value, `${place}${name}.`, methods, levels - 1)
  }
}

/** Resources have getters and methods in their class. The seventh client's own class has only what its resources work with. */
function namesOf(holder: object, isClient: boolean): string[] {
  const prototype = Object.getPrototypeOf(holder)
  const isSeventh = isClient && 'baseURL' in holder
  const ofClass = prototype === Object.prototype || isSeventh ? [] : Object.getOwnPropertyNames(prototype)
  const names = [...new Set([...Object.keys(holder), ...ofClass])].filter((name) => !INNER.test(name))
  return isSeventh ? names.filter((name) => name !== 'fetch') : names
}

const isResource = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
