/** Writes `src/generated.ts` from the compiled contract. */
import { writeFileSync } from 'node:fs'
import { operations, typescript } from '@postrider/contract'

writeFileSync(new URL('src/generated.ts', import.meta.url), typescript(operations))
