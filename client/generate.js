/** Writes `src/generated.ts` from the compiled contract, and from the settings that the compiled adapters declare. */
import { writeFileSync } from 'node:fs'
import { operations, typescript } from '@postrider/contract'
import { providers } from '@postrider/server/providers'

writeFileSync(new URL('src/generated.ts', import.meta.url), typescript(operations, [...providers.values()]))
