/** Idempotency keys of a simulation, and the messages made for them. */
import type { JsonObject } from '../../base/json/json.ts'
import type { Idempotency } from '../../messages/send.ts'

export function rehearsedKeys() {
  const used = new Map<string, { made: JsonObject; expires: number }>()
  const nameOf = ({ route, key }: Pick<Idempotency, 'route' | 'key'>) => `${route} ${key}`
  return {
    use(idempotency: Idempotency | undefined, made: JsonObject): void {
      if (idempotency) used.set(nameOf(idempotency), { made, expires: idempotency.expires })
    },
    resultOfKey(key: Pick<Idempotency, 'route' | 'key'>, now: number): JsonObject | undefined {
      const found = used.get(nameOf(key))
      return found && found.expires > now ? found.made : undefined
    },
  }
}
