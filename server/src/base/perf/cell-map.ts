/**
 * A map whose entries come and go by the thousand a second and leave nothing behind for the garbage collector.
 * Measured: 1.3 kB a message reach the old generation instead of 4.5 kB, a collection takes 5 ms instead of 7 (docs/benchmarks.md).
 */

export interface CellMap<Key, Value> {
  get(key: Key): Value | undefined
  /** Returns the previous value. */
  set(key: Key, value: Value): Value | undefined
  delete(key: Key): void
  values(): Value[]
  readonly size: number
}

interface Cell<Value> {
  value: Value | undefined
}

/**
 * V8 rebuilds the table of a map every few hundred changes, and each former table points to the next one. Once one of
 * them is in the old generation, all that follow and their values are moved there too. A deleted value leaves an empty
 * cell to those tables.
 */
export function cellMap<Key, Value extends object>(): CellMap<Key, Value> {
  const cells = new Map<Key, Cell<Value>>()
  return {
    get: (key) => cells.get(key)?.value,
    set(key, value) {
      const cell = cells.get(key)
      const before = cell?.value
      if (cell) cell.value = value
      else cells.set(key, { value })
      return before
    },
    delete(key) {
      const cell = cells.get(key)
      if (!cell) return
      cell.value = undefined
      cells.delete(key)
    },
    values: () => Array.from(cells.values(), ({ value }) => value as Value),
    get size() {
      return cells.size
    },
  }
}
