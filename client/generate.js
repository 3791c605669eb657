/** Writes `src/generated.ts` and `src/error-code.generated.ts` from the compiled contract, and from the settings that the compiled adapters declare. */
import { writeFileSync } from 'node:fs'
import { callerOperations, errorCodeType, typescript } from '@postrider/contract'
import { providers } from '@postrider/server/providers'

writeFileSync(new URL('src/generated.ts', import.meta.url), typescript(callerOperations, [...providers.values()]))
writeFileSync(new URL('src/error-code.generated.ts', import.meta.url), errorCodeType())
