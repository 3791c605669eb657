/** The adapters of this release by the name that each has on the wire. */
import { adapters } from './adapters.generated.ts'
import type { Provider } from './provider.ts'

export const providers: ReadonlyMap<string, Provider> = new Map(adapters.map((adapter) => [adapter.key, adapter]))
