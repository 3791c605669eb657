/** A comparison of a folder with a server as people read it, with the lines that differ, and as JSON. */
import { plain, plainLine } from '../plain.ts'
import type { Terminal } from '../terminal.ts'
import type { Compared } from './compare.ts'
import type { DefinitionKind } from './definition.ts'
import { filesOf } from './folder.ts'
import { lineDiff } from './line-diff.ts'
import type { PlannedPush, PushAction } from './push-plan.ts'

interface FileDiff {
  file: string
  lines: string[]
}

/** From the server's to the folder's. */
function diffOf({ here, server }: Compared, kind: DefinitionKind): FileDiff[] {
  const before = server ? filesOf(server, kind, here?.texts) : new Map<string, string>()
  const after = here ? filesOf(here, kind, here.texts) : new Map<string, string>()
  const files = [...new Set([...after.keys(), ...before.keys()])].sort()
  return files.flatMap((file) => {
    const lines = lineDiff(before.get(file) ?? '', after.get(file) ?? '')
    return lines.length === 0 ? [] : [{ file, lines }]
  })
}

const words: Record<Compared['difference'], string> = {
  same: 'unchanged',
  changed_here: 'changed',
  changed_on_server: 'changed on the server',
  changed_on_both: 'changed on both sides',
  only_here: 'new',
  only_on_server: 'only on the server',
  gone_from_server: 'removed on the server',
  gone_from_here: 'removed',
}

const acts: Record<PushAction, string> = {
  create: 'will be created',
  update: 'will be updated',
  remove: 'will be removed from the server',
  publish: 'will be published',
  none: 'stays',
  refuse: 'refused',
}

const LINES_MAX = 400

/** `action` is absent where nothing is to be done. */
export function planText(
  terminal: Terminal,
  kind: DefinitionKind,
  plan: readonly (Compared & { action?: PushAction })[],
): string {
  const shown = plan.filter(({ difference, action }) => difference !== 'same' || action === 'publish')
  const blocks = shown.map((each) => {
    const { name, difference, action } = each
    const act = action === undefined ? '' : `: ${acts[action]}`
    const head = `${terminal.style('bold', plain(name))}  ${words[difference]}${act}`
    // A definition on one side only is shown by its name.
    const isOnBoth = each.here && each.server
    return [head, ...(isOnBoth ? diffOf(each, kind).flatMap((diff) => diffLines(terminal, diff)) : [])].join('\n')
  })
  const same = plan.length - shown.length
  const rest = `${same} ${same === 1 ? kind.noun : kind.plural} unchanged.`
  if (shown.length === 0) return `The folder and the server are the same${same === 0 ? '.' : `: ${rest}`}`
  return [...blocks, ...(same === 0 ? [] : [rest])].join('\n')
}

function diffLines({ style }: Terminal, { file, lines }: FileDiff): string[] {
  const painted = lines.slice(0, LINES_MAX).map((line) => {
    const text = `  ${line.slice(0, 1)}${plainLine(line.slice(1))}`
    if (line.startsWith('+')) return style('green', text)
    if (line.startsWith('-')) return style('red', text)
    return line.startsWith('@@') ? style('cyan', text) : text
  })
  const more = lines.length - painted.length
  const head = [style('dim', `  --- ${plain(file)} on the server`), style('dim', `  +++ ${plain(file)}`)]
  return [...head, ...painted, ...(more > 0 ? [`  … ${more} more lines`] : [])]
}

export const planJson = (
  kind: DefinitionKind,
  plan: readonly (Compared & Partial<Pick<PlannedPush, 'action'>>)[],
  written: boolean,
) => ({
  written,
  results: plan.map((each) => ({
    name: each.name,
    difference: each.difference,
    ...(each.action !== undefined && { action: each.action }),
    ...(each.here && each.server && each.difference !== 'same' && { diff: diffOf(each, kind) }),
  })),
})
