/** A folder of definitions: `<name>.json` (or texts with an ending of their own), and the files of its longer texts in `<name>/`. Nothing outside of it is read or written. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { exitCodes, Failure } from '../failure.ts'
import { conversionHint, decodedText } from '../text-file.ts'
import { type Definition, type DefinitionKind, type Document, isObject } from './definition.ts'
import { fileNameOf, nameOf } from './file-name.ts'
import { fileText, joinTexts, splitTexts, type TextFile, textOfFile } from './text-files.ts'

export interface FileDefinition extends Definition {
  /** The files of its longer texts. */
  texts: readonly TextFile[]
}

/** As large as the body of a call may be. */
const FILE_BYTES_MAX = 6_000_000
const FILES_MAX = 10_000
/**
 * The command's own folder: the state of the last pull, and files in progress. It holds a `.gitignore` for all of it.
 */
export const OWN_FOLDER = '.postrider'

/** Every definition; a `Failure` names everything that is wrong. */
export function readFolder(folder: string, kind: DefinitionKind, names: readonly string[] = []): FileDefinition[] {
  if (!existsSync(folder))
    throw new Failure(`There is no folder ${folder}`, {
      hint: `Create one from a server: postrider ${kind.plural} pull --dir ${folder}`,
      exitCode: exitCodes.wrong,
    })
  const root = realpathSync(folder)
  const files = readdirSync(root)
    .filter((file) => file.endsWith(endingOf(kind)) && !file.startsWith('.'))
    .sort()
  if (files.length > FILES_MAX) throw new Failure(`${folder} has more than ${FILES_MAX} files`)
  const issues: string[] = []
  const definitions = files.flatMap((file) => {
    try {
      const definition = readDefinition(root, file, kind)
      return names.length === 0 || names.includes(definition.name) ? [definition] : []
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      issues.push(`${file}: ${error.message}`)
      return []
    }
  })
  if (issues.length > 0) throw new Failure(`${folder} contains invalid files`, { issues, exitCode: exitCodes.wrong })
  return definitions
}

const endingOf = ({ textFile }: DefinitionKind) => `.${textFile?.extension ?? 'json'}`

function readDefinition(root: string, file: string, kind: DefinitionKind): FileDefinition {
  const stem = file.slice(0, -endingOf(kind).length)
  const problem = kind.nameProblem?.(stem)
  if (problem !== undefined) throw new Failure(problem)
  const name = nameOf(stem)
  if (name === undefined)
    throw new Failure(
      `is not the name of a ${kind.noun}: letters, digits, \`.\`, \`_\` and \`-\` are written as they are, other characters as %20`,
    )
  const whole = readInside(root, file, kind.textFile?.decode)
  if (kind.textFile) return { name, document: kind.complete({ [kind.textFile.field]: whole }, name), texts: [] }
  let parsed: unknown
  try {
    parsed = JSON.parse(whole)
  } catch (cause) {
    throw new Failure(`is not JSON: ${(cause as Error).message}`, { cause })
  }
  if (!isObject(parsed)) throw new Failure('is not a JSON object')
  const unknown = Object.keys(parsed).filter((key) => !kind.fields.includes(key))
  if (unknown.length > 0)
    throw new Failure(`has unknown fields: ${unknown.slice(0, 5).join(', ')}. The fields are ${kind.fields.join(', ')}`)
  const { document, texts } = joinTexts(parsed, (text) => textOfFile(readInside(root, text)))
  return { name, document: kind.complete(document, name), texts }
}

/** Links and steps upwards lead nowhere but into the folder. */
function readInside(root: string, file: string, decode: (bytes: Buffer) => string | undefined = decodedText): string {
  if (!/^[^\\/\0]+(?:\/[^\\/\0]+)*$/.test(file) || file.split('/').some((step) => step === '.' || step === '..'))
    throw new Failure(`\`${file.slice(0, 100)}\` is not the path of a file in this folder, such as welcome/body.md`)
  const path = join(root, file)
  if (!existsSync(path)) throw new Failure(`\`${file}\` does not exist`)
  if (!realpathSync(path).startsWith(root + sep)) throw new Failure(`\`${file}\` is a link out of this folder`)
  const { size } = statSync(path)
  if (size > FILE_BYTES_MAX) throw new Failure(`\`${file}\` is larger than ${FILE_BYTES_MAX / 1_000_000} MB`)
  const text = decode(readFileSync(path))
  if (text === undefined) throw new Failure(`\`${file}\` is not UTF-8. ${conversionHint}`)
  return text
}

/** The files of a definition by their paths; the document comes last, so that what it names is there before it. */
export function filesOf(
  { name, document }: Definition,
  kind: DefinitionKind,
  layout: readonly TextFile[] = [],
): Map<string, string> {
  if (kind.textFile) return new Map([[`${fileNameOf(name)}${endingOf(kind)}`, String(document[kind.textFile.field])]])
  const split = splitTexts(kind.brief(document, name), name, layout)
  const ordered: Document = Object.fromEntries(
    kind.fields.flatMap((field) => (split.document[field] === undefined ? [] : [[field, split.document[field]]])),
  )
  return new Map([
    ...split.texts.map(({ file, text }) => [file, fileText(text)] as const),
    [`${fileNameOf(name)}.json`, `${JSON.stringify(ordered, null, 2)}\n`] as const,
  ])
}

export function makeFolder(folder: string): void {
  const ownFolder = join(folder, OWN_FOLDER)
  mkdirSync(ownFolder, { recursive: true })
  if (!existsSync(join(ownFolder, '.gitignore'))) writeFileSync(join(ownFolder, '.gitignore'), '*\n')
  for (const file of readdirSync(ownFolder)) if (file.endsWith('.part')) rmSync(join(ownFolder, file), { force: true })
}

/** Writes its files and takes away those of its texts that it no longer has. */
export function writeDefinition(
  folder: string,
  definition: Definition,
  kind: DefinitionKind,
  before?: FileDefinition,
): void {
  const files = filesOf(definition, kind, before?.texts)
  for (const [file, text] of files) replaceFile(folder, file, text)
  for (const { file } of before?.texts ?? [])
    if (!files.has(file) && isOwn(definition.name, file)) removeInside(folder, file)
}

export function removeDefinition(folder: string, { name, texts }: FileDefinition, kind: DefinitionKind): void {
  removeInside(folder, `${fileNameOf(name)}${endingOf(kind)}`)
  for (const { file } of texts) if (isOwn(name, file)) removeInside(folder, file)
}

/** Others may be shared with another definition. */
const isOwn = (name: string, file: string) => file.startsWith(`${fileNameOf(name)}/`)

function removeInside(folder: string, file: string): void {
  refuseOutside(folder, dirname(join(folder, file)))
  rmSync(join(folder, file), { force: true })
}

/** Whole or not at all: a process that is killed meanwhile leaves the file that was there. */
export function replaceFile(folder: string, file: string, text: string): void {
  const path = join(folder, file)
  mkdirSync(dirname(path), { recursive: true })
  refuseOutside(folder, dirname(path))
  if (existsSync(path) && lstatSync(path).isDirectory())
    throw new Failure(`${path} is a folder; a file must be written there`)
  const part = join(folder, OWN_FOLDER, `${process.pid}.part`)
  writeFileSync(part, text)
  renameSync(part, path)
}

function refuseOutside(folder: string, place: string): void {
  const root = realpathSync(folder)
  const real = existsSync(place) ? realpathSync(place) : root
  if (real !== root && !real.startsWith(root + sep))
    throw new Failure(`${place} is a link out of ${folder}`, { exitCode: exitCodes.wrong })
}
