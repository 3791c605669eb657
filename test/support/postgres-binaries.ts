/** Where the PostgreSQL binaries are, and which OS user may run them. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface PostgresBinaries {
  /** The folder that holds `initdb` and `postgres`. */
  bin: string
  /** Who runs them when we are root, which PostgreSQL refuses. */
  user?: { uid: number; gid: number }
}

/** The folder in POSTRIDER_TEST_POSTGRES_BIN, else Debian's newest, else the first on PATH. */
export function findPostgres(environment: NodeJS.ProcessEnv = process.env): PostgresBinaries | undefined {
  const wanted = environment.POSTRIDER_TEST_POSTGRES_BIN
  const candidates = wanted ? [wanted] : [...debianFolders(), ...(environment.PATH ?? '').split(delimiter)]
  const bin = candidates.find((folder) => folder && existsSync(join(folder, 'initdb')))
  if (!bin) return undefined
  if (process.getuid?.() !== 0) return { bin }
  const user = osUser('postgres') ?? osUser('nobody')
  return user ? { bin, user } : undefined
}

function debianFolders(): string[] {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return []
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a))
  return versions.map((version) => join(root, version, 'bin'))
}

function osUser(name: string): { uid: number; gid: number } | undefined {
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }))
  try {
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return undefined
  }
}
