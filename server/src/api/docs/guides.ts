/** The guides in the groups of their index, with the pages that the contract writes. */
import { readFileSync } from 'node:fs'
import { decisionsReference, errorsReference, stepsReference } from '@postrider/contract'
import { guidesFolder } from '../../assets.ts'
import { logEventsReference } from '../../base/log-events.ts'

export interface Guide {
  name: string
  /** Its heading. */
  title: string
  /** In the navigation. */
  label: string
  /** Its line in the index; not every one has it. */
  summary: string
  group: string
  text: string
}

export interface GuideGroup {
  title: string
  guides: Guide[]
}

const references: Readonly<Record<string, () => string>> = {
  decisions: decisionsReference,
  errors: errorsReference,
  'log-events': logEventsReference,
  steps: stepsReference,
}

let groups: readonly GuideGroup[] | undefined

export function readGroups(): readonly GuideGroup[] {
  groups ??= groupsOf(readFileSync(new URL('README.md', guidesFolder), 'utf8'))
  return groups
}

/** In the order of the index. */
export const readGuides = (): readonly Guide[] => readGroups().flatMap(({ guides }) => guides)

/** Headings are groups, and items with a link are guides. */
function groupsOf(index: string): GuideGroup[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n')
      return { title, guides: lines.flatMap((line) => guideOf(line, title)) }
    })
    .filter(({ guides }) => guides.length > 0)
}

function guideOf(line: string, group: string): Guide[] {
  const [, label, name, summary = ''] = /^- \[(.+?)\]\((?:[./\w]*\/)?([\w-]+)\.md\)(?:: (.+))?$/.exec(line) ?? []
  if (label === undefined || name === undefined) return []
  const text = references[name]?.() ?? readFileSync(new URL(`${name}.md`, guidesFolder), 'utf8')
  return [{ name, label, summary, group, text, title: /^# (.+)$/m.exec(text)?.[1] ?? label }]
}
