/** `postrider doctor`: checks the installation, with advice for each problem. */

import type { Config } from '@postrider/server'
import type { Command } from 'commander'
import { hasDatabase } from '../../data-folder.ts'
import { attempt, type Check, check, checkText } from '../../doctor/check.ts'
import { lookAtDatabase, pausedCheck } from '../../doctor/database.ts'
import { lookAtFolder } from '../../doctor/folder.ts'
import { exitCodes } from '../../failure.ts'
import { serverModules } from '../../server-modules.ts'
import { clientOf, lookAtServer, type Presence, type Seen, type Session, sessionOf } from '../../session.ts'

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('Check the configuration, database, clock and providers. Exit code 1 if a check fails.')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider doctor
  $ postrider doctor --json | jq '.checks[] | select(.state == "fail")'

With a published API key, a running server also checks the credentials of its integrations and the DNS
records of their senders (SPF, DKIM, DMARC). Nothing is sent.`,
    )
    .action(async (_options: unknown, command: Command) => doctor(sessionOf(command)))
}

async function doctor(session: Session): Promise<void> {
  const { terminal } = session
  const checks: Check[] = []
  for await (const group of findings(session)) {
    terminal.progress.end()
    checks.push(...group)
    // Shown as they are found: a connection that hangs takes seconds.
    if (!terminal.json) for (const check of group) terminal.line(check, checkText(terminal, check))
    terminal.progress.update('checking …')
  }
  terminal.progress.end()
  const failed = checks.filter(({ state }) => state === 'fail').length
  if (failed > 0) process.exitCode = exitCodes.failed
  const warned = checks.filter(({ state }) => state === 'warn').length
  terminal.answer({ ok: failed === 0, checks }, () => `\n${verdict(failed, warned)}`)
}

function verdict(failed: number, warned: number): string {
  if (failed > 0) return failed === 1 ? 'One check failed.' : `${failed} checks failed.`
  if (warned > 0)
    return warned === 1 ? 'Nothing failed; there is one warning.' : `Nothing failed; there are ${warned} warnings.`
  return 'All checks passed.'
}

async function* findings(session: Session): AsyncGenerator<Check[]> {
  const { server } = session
  let config: Config | undefined
  // A server elsewhere has a configuration of its own.
  if (!server.urlGiven)
    yield await attempt('configuration', async () => {
      const { readConfig } = await serverModules()
      config = readConfig()
      const database = config.databaseUrl ? `PostgreSQL at ${placeOf(config.databaseUrl)}` : 'the local database'
      return [configurationCheck(config, `${database}, role ${config.role}`)]
    })
  else
    yield [
      check(
        'configuration',
        'skip',
        `the server at ${server.url} uses its own configuration; the one of this machine is not checked`,
      ),
    ]
  const seen = await lookAtServer(session)
  const { presence } = seen
  yield [serverCheck(session, seen), ...(seen.isPaused ? [pausedCheck] : [])]
  if (config) yield* machineFindings(config, presence, server.url)
  // A server started from here would have the same.
  if (presence === 'absent' && !server.urlGiven)
    yield await attempt('open files', async () => [(await serverModules()).openFiles()])
  if (presence === 'absent') yield [check('providers', 'skip', 'checked by a running server only')]
  else if (presence === 'starting') yield [check('providers', 'skip', 'the server is not ready')]
  else if (!server.apiKey)
    yield [check('providers', 'warn', 'not checked without an API key', 'Set POSTRIDER_API_KEY or --key.')]
  // Only the server knows its own network and its limits, so the server runs the checks.
  else
    yield await attempt(
      'diagnostics',
      async () => {
        const { checks } = await clientOf(session).service.diagnostics()
        return checks.map(({ name, state, detail, hint }) => check(name, state, detail, hint))
      },
      server.url,
    )
}

function configurationCheck({ unknownVariables }: Config, detail: string): Check {
  if (unknownVariables.length === 0) return check('configuration', 'ok', detail)
  const hint = 'Nothing reads these variables: correct their names, or unset them.'
  return check('configuration', 'warn', `${detail}. ${unknownVariables.join(' ')}`, hint)
}

async function* machineFindings(config: Config, presence: Presence, url: string): AsyncGenerator<Check[]> {
  if (config.databaseUrl) {
    yield await attempt('database', lookAtDatabase)
    return
  }
  yield await attempt('data folder', () => lookAtFolder(config.dataDir))
  yield await attempt('programs', async () => [await lookAtPrograms(config)])
  yield await attempt('database', () => lookAtLocal(config.dataDir, presence, url))
}

/** Those that a start would use. */
async function lookAtPrograms({ dataDir, postgresBin }: Config): Promise<Check> {
  const { findPrograms } = await serverModules()
  const { version, source, bin } = findPrograms(dataDir, postgresBin)
  return check('programs', 'ok', `PostgreSQL ${version}, ${source === 'npm' ? 'from npm' : bin}`)
}

async function lookAtLocal(folder: string, presence: Presence, url: string): Promise<Check[]> {
  const { isHeld } = await serverModules()
  const isThere = await hasDatabase(folder)
  // Also one that is not ready: what is wrong with it is said by the check of the server.
  if (presence !== 'absent' && isThere && (await isHeld(folder)))
    return [
      check('database', 'ok', 'local; used by the running server'),
      check('clock', 'ok', 'the clock of this machine'),
    ]
  if (presence !== 'ready')
    return isThere ? lookAtDatabase() : [check('database', 'skip', 'the first start creates it')]
  const detail = `the server at ${url} does not use the data folder ${folder}`
  return [
    check(
      'database',
      'warn',
      detail,
      'Check POSTRIDER_DATA_DIR and POSTRIDER_PORT, or give the address of another server with --url.',
    ),
  ]
}

function serverCheck({ server: { url, urlGiven } }: Session, { presence, reason }: Seen): Check {
  if (presence === 'ready') return check('server', 'ok', `ready at ${url}`)
  if (presence === 'starting')
    return check('server', 'fail', `${url} is not ready${reason ? `: ${reason}` : ''}`, 'See the log of the server.')
  return urlGiven
    ? check('server', 'fail', `no server responds at ${url}`, 'Check the address, and that the server is running.')
    : check('server', 'skip', `no server at ${url}`, 'Start it with: postrider serve')
}

/** Host and database, without user and password. */
function placeOf(databaseUrl: string): string {
  if (!URL.canParse(databaseUrl)) return 'its address'
  const { host, pathname } = new URL(databaseUrl)
  return `${host || 'this machine'}${pathname}`
}
