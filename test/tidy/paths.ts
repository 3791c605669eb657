/** Files that documents and comments name are there. */
import { posix } from 'node:path'
import { lex, lineAt, type Source } from './source.ts'

/** Decision records and the change log name files of their time. */
const DOCUMENT = /^(?:ARCHITECTURE|CONTRIBUTING)\.md$|^docs\/architecture\/|^dashboard\/DESIGN\.md$/

const FILE = /(?<![\w./@*$<>{}-])(?:[\w<>.-]+\/)*[\w<>-][\w<>.-]*\.(?:tsx?|mjs)(?![\w/*])/g

const FOLDER = /^(?:[\w-]+\/)+[\w-]*$/

/**
 * A document names a file from the root or from `server/src`, or by its path below the folder that its paragraph named
 * last, or below a folder that this one lies in; in a table, the heading may name the folder. A comment names a file
 * from its own folder or one above.
 */
export function deadPaths(sources: readonly Source[], files: readonly string[]): string[] {
  const exists = finder(files)
  return sources.flatMap((source) => {
    if (DOCUMENT.test(source.path)) return deadInDocument(source, exists)
    return /\.(?:tsx?|m?js)$/.test(source.path) ? deadInComments(source, exists) : []
  })
}

type Finder = (path: string) => boolean

/** `<name>` stands for any name. */
function finder(files: readonly string[]): Finder {
  const folders = files.flatMap((file) => above(posix.dirname(file)))
  const all = new Set([...files, ...folders])
  return (path) => {
    if (!path.includes('<')) return all.has(path)
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/<[\w-]+>/g, '[\\w-]+')}$`)
    return [...all].some((file) => pattern.test(file))
  }
}

/** The folder and those that it lies in, the root last. */
function above(folder: string): string[] {
  return folder === '.' ? ['.'] : [folder, ...above(posix.dirname(folder))]
}

/** The path from the first of the folders from which it leads to a file. */
const resolve = (bases: readonly string[], path: string, exists: Finder) =>
  bases.map((base) => posix.join(base, path)).find(exists)

const report = ({ path, text }: Source, at: number, name: string) =>
  `${path}:${lineAt(text, at)}: ${name}: no such file here`

function deadInComments(source: Source, exists: Finder): string[] {
  const bases = [...above(posix.dirname(source.path)), 'server/src']
  return lex(source.text).comments.flatMap(({ at, value }) =>
    [...value.matchAll(FILE)]
      .filter(([name]) => resolve(bases, name, exists) === undefined)
      .map(({ 0: name, index }) => report(source, at + index, name)),
  )
}

function deadInDocument(source: Source, exists: Finder): string[] {
  const part = source.path.startsWith('docs/') ? '.' : posix.dirname(source.path)
  const dead: string[] = []
  let heading: string | undefined
  for (const { 0: line, index: start } of source.text.matchAll(/^.*$/gm)) {
    const isRow = line.startsWith('|')
    let folder = isRow ? heading : undefined
    for (const { 1: code = '', index } of line.matchAll(/`([^`]+)`/g)) {
      for (const name of code.match(FILE) ?? []) {
        const isBare = !name.includes('/')
        const near = folder === undefined ? [] : isBare ? [folder] : above(folder)
        const goal = resolve(['.', 'server/src', part, ...near], name, exists)
        if (goal === undefined) dead.push(report(source, start + index, name))
        else if (!isBare) folder = posix.dirname(goal)
      }
      if (FOLDER.test(code)) folder = resolve(['.', 'server/src'], code.replace(/\/$/, ''), exists) ?? folder
    }
    heading = isRow ? (heading ?? folder ?? '.') : undefined
  }
  return dead
}
