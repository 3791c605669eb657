/**
 * Writes a server's definitions into a folder. Files that were changed since the last pull stay, unless overwritten on
 * purpose.
 */
import { Failure } from '../failure.ts'
import { plain } from '../plain.ts'
import { runningClientOf, type Session } from '../session.ts'
import { type Compared, compare } from './compare.ts'
import { type DefinitionKind, digestOf } from './definition.ts'
import { refuseSameFiles } from './file-name.ts'
import { makeFolder, readFolder, removeDefinition, writeDefinition } from './folder.ts'
import { readServer, refuseUnknownNames } from './server-side.ts'
import { readState, writeState } from './sync-state.ts'

export interface PullOptions {
  dir: string
  names: readonly string[]
  overwrite: boolean
  delete: boolean
}

type PullAction = 'write' | 'remove' | 'none' | 'refuse'

export async function pull(session: Session, kind: DefinitionKind, options: PullOptions): Promise<void> {
  const { terminal, server } = session
  const { dir, names } = options
  const client = await runningClientOf(session)
  const theirs = await readServer(session, client, kind, names)
  refuseSameFiles(theirs.map(({ name }) => name))
  makeFolder(dir)
  const here = readFolder(dir, kind, names)
  refuseUnknownNames(kind, names, [...here, ...theirs])
  const state = readState(dir, server)
  const compared = compare(here, theirs, state.digests)
  const planned = compared.map((each) => ({ ...each, action: actionOf(each, options, state.pulling.has(each.name)) }))
  const refused = planned.filter(({ action }) => action === 'refuse')
  if (refused.length > 0)
    throw new Failure(
      `Nothing was written: ${refused.length} of the ${kind.plural} in ${dir} were changed both locally and on the server`,
      {
        issues: refused.map(({ name }) => plain(name)),
        hint: `To see the differences: postrider ${kind.plural} diff. To replace the local files: --overwrite`,
      },
    )
  const writes = planned.filter(({ action }) => action === 'write')
  state.pulling = new Set(writes.map(({ name }) => name))
  for (const { name, difference, here } of planned)
    if (difference === 'same' && here) state.digests.set(name, digestOf(here.document))
  writeState(dir, server, state)
  for (const { name, here, server: definition } of writes) {
    if (!definition) continue
    writeDefinition(dir, definition, kind, here)
    state.digests.set(name, digestOf(definition.document))
  }
  for (const { name, here, action } of planned) {
    if (action !== 'remove' || !here) continue
    removeDefinition(dir, here, kind)
    state.digests.delete(name)
  }
  state.pulling.clear()
  writeState(dir, server, state)
  const results = planned.map(({ name, difference, action }) => ({ name, difference, action }))
  terminal.answer({ folder: dir, results }, () => pullText(kind, dir, planned))
}

function actionOf(
  { difference, changedSince }: Compared,
  { overwrite, delete: removes }: PullOptions,
  wasInterrupted: boolean,
): PullAction {
  switch (difference) {
    case 'same':
    case 'only_here':
      return 'none'
    case 'changed_on_server':
    case 'only_on_server':
      return 'write'
    case 'changed_here':
    case 'gone_from_here':
      return overwrite || wasInterrupted ? 'write' : 'none'
    case 'changed_on_both':
      return overwrite || wasInterrupted ? 'write' : 'refuse'
    case 'gone_from_server':
      if (!removes) return 'none'
      return changedSince && !overwrite ? 'refuse' : 'remove'
  }
}

const remarks: Partial<Record<Compared['difference'], string>> = {
  only_here: 'only local',
  changed_here: 'changed locally, kept',
  gone_from_here: 'removed locally, not restored; to restore it, use --overwrite',
  gone_from_server: 'removed on the server, kept; to remove it locally, use --delete',
}

function pullText(kind: DefinitionKind, dir: string, planned: readonly (Compared & { action: PullAction })[]): string {
  const lines = planned.flatMap(({ name, difference, action }) => {
    if (action === 'write') return [`wrote    ${plain(name)}`]
    if (action === 'remove') return [`removed  ${plain(name)}`]
    const remark = remarks[difference]
    return remark === undefined ? [] : [`kept     ${plain(name)} (${remark})`]
  })
  const same = planned.filter(({ difference }) => difference === 'same').length
  const written = planned.filter(({ action }) => action === 'write').length
  const noun = written === 1 ? kind.noun : kind.plural
  const rest = same > 0 ? `, ${same} unchanged` : ''
  return [...lines, `${written} ${noun} written to ${dir}${rest}.`].join('\n')
}
