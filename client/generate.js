/** Writes `src/generated.ts` and `src/error-code.generated.ts` from the compiled contract, and from the settings that the compiled adapters declare. */
import { writeFileSync } from 'node:fs'
import { errorCodeType, operations, typescript } from '@postrider/contract'
import { providers } from '@postrider/server/providers'

const ofCallers = operations.filter(({ calledBy }) => calledBy === undefined)
writeFileSync(new URL('src/generated.ts', import.meta.url), typescript(ofCallers, [...providers.values()]))
writeFileSync(new URL('src/error-code.generated.ts', import.meta.url), errorCodeType())
