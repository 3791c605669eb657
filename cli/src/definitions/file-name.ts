/** File names for names of any characters: one for each name, valid on every system, never a path. */
import { exitCodes, Failure } from '../failure.ts'
import { plain } from '../plain.ts'

/** With an ending, and a mark of a file in progress, below the 255 bytes of common file systems. */
const CHARACTERS_MAX = 200
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

const encodedByte = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
const encoded = (text: string) => [...Buffer.from(text)].map(encodedByte).join('')

/** Throws a `Failure` for a name that is too long for a file. */
export function fileNameOf(name: string): string {
  const safe = name
    .replace(/[^A-Za-z0-9._-]+/gu, encoded)
    .replace(/^\./, encoded)
    .replace(/\.$/, encoded)
  const fileName = RESERVED.test(safe) ? encoded(safe.slice(0, 1)) + safe.slice(1) : safe
  if (name !== '' && fileName.length <= CHARACTERS_MAX && name.isWellFormed()) return fileName
  throw new Failure(`${plain(name).slice(0, 60)}… is too long for the name of a file`, {
    hint: 'Give it a shorter alias.',
    exitCode: exitCodes.wrong,
  })
}

/** Undefined for a file name that no name has. */
export function nameOf(fileName: string): string | undefined {
  try {
    const name = decodeURIComponent(fileName)
    return fileNameOf(name) === fileName ? name : undefined
  } catch {
    return undefined
  }
}

/** Throws a `Failure` when two names are one file where letters of both cases are the same. */
export function refuseSameFiles(names: readonly string[]): void {
  const nameByFile = new Map<string, string>()
  for (const name of names) {
    const file = fileNameOf(name).toLowerCase()
    const other = nameByFile.get(file)
    if (other !== undefined)
      throw new Failure(`${plain(other)} and ${plain(name)} would be one file where case does not count`, {
        hint: 'Give one of them another alias.',
        exitCode: exitCodes.wrong,
      })
    nameByFile.set(file, name)
  }
}
