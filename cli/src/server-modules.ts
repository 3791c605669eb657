/** The service itself, loaded only by commands that need it in their own process. */
import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

/** Twelve hundred of them: `import` asks for each by itself, `require` loads the same ones with a quarter less work. */
export const serverModules = () => load('@postrider/server') as typeof import('@postrider/server')
