/** Collects uses of `data` as a tree of keys, and lists it with the kind of each value. */
import type { TemplateVariable } from '@postrider/contract'

/** Keys in `data`, `[]` for every item of a list. Undefined: it is not known, or it is not in `data`. */
export type DataPath = readonly string[] | undefined

/** The surroundings of a piece of a template. */
export interface Uses {
  used: UsedData
  /** Under a condition: the text is complete without it. */
  optional: boolean
  /** The item of the innermost `loop`; absent outside of every loop, undefined when it is not known. */
  item?: DataPath
}

/** Names beside `data` that a template can begin with (messages/decide/condition.ts). */
const ROOTS: ReadonlySet<string> = new Set(
  'profile recipient event messageId template courier datetime tenant brand filled_in urls refs'.split(' '),
)

interface Value {
  keys: Map<string, Value>
  isText: boolean
  isRequired: boolean
}

const newValue = (): Value => ({ keys: new Map(), isText: false, isRequired: false })

export class UsedData {
  private readonly root = newValue()
  private count = 0
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  /** Where a name of an author's leads to. `$` is the loop's, then the message's. */
  dataPathOf([first = '', ...rest]: readonly string[], item: DataPath): DataPath {
    if (first === '$') return rest[0] === 'item' ? item && [...item, ...rest.slice(1)] : this.dataPathOfRoot(rest)
    return this.dataPathOfRoot([first, ...rest])
  }

  private dataPathOfRoot([first = '', ...rest]: readonly string[]): DataPath {
    if (first === 'data') return rest
    return first === '' || first === 'index' || ROOTS.has(first) ? undefined : [first, ...rest]
  }

  /** Once required, a value stays so; what is below an optional one says how it is when there is one. */
  add(path: readonly string[], kind: 'text' | 'any', optional: boolean): void {
    let value = this.root
    for (const key of path) {
      const name = /^\d+$/.test(key) ? '[]' : key
      let next = value.keys.get(name)
      if (!next) {
        if (this.count >= this.most) return
        this.count += 1
        next = newValue()
        value.keys.set(name, next)
      }
      if (!optional) next.isRequired = true
      value = next
    }
    if (kind === 'text') value.isText = true
  }

  list(): TemplateVariable[] {
    return listed(this.root, [])
  }
}

function listed({ keys }: Value, path: readonly string[]): TemplateVariable[] {
  // Of a list only its items are data of the caller's.
  const own = keys.has('[]') ? [...keys].filter(([key]) => key === '[]') : [...keys]
  return own.flatMap(([key, value]) => {
    const here = [...path, key]
    return [{ path: here, kind: kindOf(value), required: value.isRequired }, ...listed(value, here)]
  })
}

function kindOf({ keys, isText }: Value): TemplateVariable['kind'] {
  if (keys.has('[]')) return 'list'
  if (keys.size > 0) return 'object'
  return isText ? 'text' : 'any'
}
