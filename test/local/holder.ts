/** A process that opens the local database of the folder in its argument and keeps it open until it is killed. */
import { createLog } from '@postrider/server/internal/base/log'
import { openLocal } from '@postrider/server/internal/database/local/local'

const [, , folder = ''] = process.argv
await openLocal({ folder, log: createLog('silent') })
process.stdout.write('open\n')
setInterval(() => undefined, 60_000)
