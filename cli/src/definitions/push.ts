/** Writes a folder's definitions to a server: everything is compared, shown and checked before anything is written. */
import { existsSync } from 'node:fs'
import { isPostriderError, type Postrider } from '@postrider/client'
import { confirm } from '../confirm.ts'
import { exitCodes, Failure } from '../failure.ts'
import { plain } from '../plain.ts'
import { runningClientOf, type Session } from '../session.ts'
import { type Compared, compare } from './compare.ts'
import { type DefinitionKind, digestOf, inParallel } from './definition.ts'
import { readFolder } from './folder.ts'
import { planJson, planText } from './plan-text.ts'
import { type PlannedPush, type PushOptions, planOf } from './push-plan.ts'
import { readServer, refuseUnknownNames } from './server-side.ts'
import { readState, type SyncState, writeState } from './sync-state.ts'

export async function push(session: Session, kind: DefinitionKind<PushOptions>, options: PushOptions): Promise<void> {
  const { terminal, server } = session
  const { dir, dryRun, yes } = options
  const client = await runningClientOf(session)
  const { compared, state } = await compareSides(session, client, kind, options)
  const plan = await planOf(client, kind, compared, options)
  const isPending = plan.some(({ action }) => action !== 'none')
  if (!terminal.json) terminal.line(undefined, planText(terminal, kind, plan))
  refuseConflicts(kind, plan)
  await checkAll(client, kind, plan, options, (warning) => terminal.note(warning))
  if (dryRun || !isPending) {
    if (!dryRun) record(session, options, plan, state)
    terminal.json && terminal.answer(planJson(kind, plan, false), () => '')
    if (isPending) process.exitCode = exitCodes.different
    return
  }
  if (!yes && !(await confirm(terminal, `Write this to ${server.url}?`)))
    throw new Failure('Nothing was written', { exitCode: exitCodes.failed })
  record(session, options, plan, state)
  const pending = plan.filter(({ action }) => action !== 'none')
  let done = 0
  try {
    for (const each of pending) {
      terminal.progress.step(`${each.action} ${plain(each.name)} (${done + 1} of ${pending.length})`)
      await perform(client, kind, each, options, state)
      done += 1
    }
  } finally {
    terminal.progress.end()
    writeState(dir, server, state)
    if (done < pending.length)
      terminal.note(`${done} of ${pending.length} written. To continue, run the same command again.`)
  }
  if (terminal.json) terminal.answer(planJson(kind, plan, true), () => '')
  else terminal.line(undefined, `${done} of ${done} written to ${server.url}.`)
}

/** Both sides and what is known of before: of the last pull or push, or of another folder. */
export async function compareSides(
  session: Session,
  client: Postrider,
  kind: DefinitionKind<PushOptions>,
  { dir, names, base }: Pick<PushOptions, 'dir' | 'names' | 'base'>,
): Promise<{ compared: Compared[]; state: SyncState }> {
  const here = readFolder(dir, kind, names)
  // Before the folder was there nothing was pushed from it.
  const before = base === undefined ? undefined : existsSync(base) ? readFolder(base, kind, names) : []
  const theirs = await readServer(session, client, kind, names)
  refuseUnknownNames(kind, names, [...here, ...theirs])
  const state = readState(dir, session.server)
  const digests = before && new Map(before.map(({ name, document }) => [name, digestOf(document)]))
  return { compared: compare(here, theirs, digests ?? state.digests), state }
}

function refuseConflicts(kind: DefinitionKind<PushOptions>, plan: readonly PlannedPush[]): void {
  const refused = plan.filter(({ action }) => action === 'refuse')
  if (refused.length === 0) return
  throw new Failure(
    `Nothing was written: ${kind.plural} on the server have changed since the last pull or push of this folder`,
    {
      issues: refused.map(({ name, difference }) => `${plain(name)}: ${reasons[difference]}`),
      hint: `To get the changes of the server: postrider ${kind.plural} pull. To replace them with the folder: --overwrite. For a folder that was never pulled, give a copy of it as it was last pushed with --base.`,
    },
  )
}

const reasons: Partial<Record<Compared['difference'], string>> = {
  changed_on_both: 'changed on the server since the last pull or push, or never pulled from it',
  gone_from_server: 'removed on the server since then, and changed locally',
  only_on_server: 'never pulled, so that --delete does not remove it',
  gone_from_here: 'changed on the server since then, so that --delete does not remove it',
}

async function checkAll(
  client: Postrider,
  kind: DefinitionKind<PushOptions>,
  plan: readonly PlannedPush[],
  options: PushOptions,
  warn: (text: string) => void,
): Promise<void> {
  const issues: string[] = []
  await inParallel(plan, async ({ name, action, here }) => {
    if (!here || (action !== 'create' && action !== 'update' && action !== 'publish')) return
    try {
      for (const warning of await kind.check(client, here, options)) warn(`${plain(name)}: ${plain(warning)}`)
    } catch (error) {
      if (!isPostriderError(error, 'invalid_request') && !(error instanceof Failure)) throw error
      issues.push(`${name}: ${error.message}`)
    }
  })
  if (issues.length > 0)
    throw new Failure(`Nothing was written: the server rejected ${issues.length} of the ${kind.plural}`, {
      issues: issues.sort(),
    })
}

/** Those that are the same on both sides. */
function record({ server }: Session, { dir }: PushOptions, plan: readonly PlannedPush[], state: SyncState): void {
  for (const { name, difference, here } of plan)
    if (difference === 'same' && here) state.digests.set(name, digestOf(here.document))
  writeState(dir, server, state)
}

async function perform(
  client: Postrider,
  kind: DefinitionKind<PushOptions>,
  { name, action, here, server, finish }: PlannedPush,
  options: PushOptions,
  state: SyncState,
): Promise<void> {
  if (finish) return finish()
  // Compared once more right before: showing and asking may have taken a while.
  const now = await kind.readOne(client, name)
  if ((now && digestOf(now.document)) !== (server && digestOf(server.document))) throw changedMeanwhile(name)
  if (action === 'remove' && server) {
    await kind.remove(client, server.id)
    state.digests.delete(name)
  } else if (here) {
    const storedDocument = await kind.write(client, here, now, options).catch((error: unknown) => {
      const isMeanwhile = isPostriderError(error) && (error.code === 'changed_since' || error.code === 'already_exists')
      throw isMeanwhile ? changedMeanwhile(name, error) : error
    })
    state.digests.set(name, digestOf(storedDocument))
  }
}

const changedMeanwhile = (name: string, cause?: Error) =>
  new Failure(`${plain(name)} was changed on the server meanwhile, and is left as it is there`, {
    hint: 'To see how, run the same command again; to replace it with the folder, with --overwrite.',
    cause,
  })
