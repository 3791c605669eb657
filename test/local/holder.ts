/** A process that opens the local database of a folder and keeps it open until it is killed, or kills itself at a failpoint. */
import { setFailpoint } from '@postrider/server/internal/base/failpoint'
import { createLog } from '@postrider/server/internal/base/log'
import { openLocal } from '@postrider/server/internal/database/local/local'

const [, , folder = '', failpoint] = process.argv
setFailpoint(failpoint)
await openLocal({ folder, log: createLog('silent') })
process.stdout.write('open\n')
setInterval(() => undefined, 60_000)
