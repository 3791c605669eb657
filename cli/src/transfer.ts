/** Runs an export or an import with its progress on the terminal, until it is done or Ctrl+C stops it. */
import type { TransferProgress, TransferReport } from '@postrider/server'
import { Failure } from './failure.ts'
import { bytes, plain } from './plain.ts'
import { serverModules } from './server-modules.ts'
import type { Session } from './session.ts'

type Request = Parameters<typeof import('@postrider/server')['importFrom']>[0]

export async function runTransfer(
  { terminal }: Session,
  folder: string,
  transfer: (request: Request) => Promise<TransferReport>,
): Promise<TransferReport> {
  const { createLog, readConfig } = await serverModules()
  const config = readConfig()
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel)
  const stop = new AbortController()
  const abort = () => stop.abort(new Failure('Stopped', { hint: 'Run the same command again to continue.' }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, abort)
  let phase = ''
  const progress = (state: TransferProgress) => {
    // Outside a terminal a line for each phase is enough.
    if (state.phase !== phase) terminal.progress.step(`${state.phase} …`)
    phase = state.phase
    terminal.progress.update(progressText(state))
  }
  try {
    return await transfer({ config, log, folder, progress, signal: stop.signal })
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, abort)
    terminal.progress.end()
  }
}

function progressText({ phase, table, tablesDone, tables, rows, rowsTotal, bytes: packed }: TransferProgress): string {
  // The total of an export is an estimate, and unknown for tables without statistics.
  const percent = rowsTotal > rows ? ` (${Math.floor((100 * rows) / rowsTotal)} %)` : ''
  return `${phase} ${plain(table)}, table ${tablesDone + 1} of ${tables}: ${rows} rows${percent}, ${bytes(packed)}`
}
