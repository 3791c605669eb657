/** The folder of the local database and the programs that fit it: found, or created under a temporary name and renamed when it is complete on disk. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join, parse } from 'node:path'
import { promisify } from 'node:util'
import { failpoint } from '../../base/failpoint.ts'
import { MINUTE } from '../../base/time/duration.ts'
import { type Binaries, findBinaries, programPath } from './binaries.ts'
import { fsyncDirectory } from './data-folder.ts'
import { type Endpoint, USER } from './endpoint.ts'
import { FolderUnusable, hintFor, LocalServerError } from './errors.ts'
import { type Account, launch, programEnvironment, serverAccount } from './launch.ts'

const run = promisify(execFile)

/** The name holds the major version that can open it. */
const CLUSTER = /^postgres-(\d+)$/
/** Written by older versions of Postrider; no PostgreSQL server can open it. */
const OLD_ENGINE = 'database'
const OWNER_ONLY = 0o700
/** Two seconds on an ordinary disk; a network disk can take minutes for a thousand files. */
const INITDB_TIMEOUT_MS = 10 * MINUTE

export interface Cluster {
  folder: string
  major: number
}

/** Undefined in a folder without a database. Throws `FolderUnusable`. */
export function findCluster(dataDir: string): Cluster | undefined {
  const names = readdirSync(dataDir)
  const clusters = names.flatMap((name) => {
    const major = CLUSTER.exec(name)?.[1]
    return major ? [{ folder: join(dataDir, name), major: Number(major) }] : []
  })
  if (clusters.length > 1)
    throw new FolderUnusable(
      `${dataDir} holds more than one database: ${clusters.map(({ folder }) => folder).join(', ')}. Leave the one in use there and move the others elsewhere`,
    )
  const [cluster] = clusters
  if (!cluster && names.includes(OLD_ENGINE))
    throw new FolderUnusable(
      `${join(dataDir, OLD_ENGINE)} was made by a version of Postrider before 0.1.0 with another database engine, which this version cannot open`,
    )
  if (cluster) checkVersion(cluster)
  return cluster
}

function checkVersion({ folder, major }: Cluster): void {
  let text: string
  try {
    text = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim()
  } catch (cause) {
    throw new FolderUnusable(`${folder} is not a whole database; a copy made by postrider backup can take its place`, {
      cause,
    })
  }
  if (text !== String(major))
    throw new FolderUnusable(`${folder} holds a database of PostgreSQL ${text}: rename it to postgres-${text}`)
}

/** The initdb of a killed process runs on for a while, and exits once its files are removed. */
const REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 } as const

/** Called under the lock of the data folder: the process that was creating one of these is dead. */
export function removeUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir)) if (name.startsWith('new-')) rmSync(join(dataDir, name), REMOVAL)
}

/** Takes two seconds, mostly to flush a thousand files. Throws `LocalServerError`. */
export async function createCluster(
  dataDir: string,
  binaries: Binaries,
  account: Account | undefined,
  endpoint: Endpoint,
): Promise<Cluster> {
  const fresh = join(dataDir, `new-${randomBytes(4).toString('hex')}`)
  try {
    mkdirSync(fresh, { mode: OWNER_ONLY })
    if (account) chownSync(fresh, account.uid, account.gid)
    await initialize(fresh, binaries, account, endpoint)
    failpoint('first-start')
    const folder = join(dataDir, `postgres-${binaries.major}`)
    renameSync(fresh, folder)
    fsyncDirectory(dataDir)
    return { folder, major: binaries.major }
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    throw error
  }
}

async function initialize(
  folder: string,
  binaries: Binaries,
  account: Account | undefined,
  endpoint: Endpoint,
): Promise<void> {
  const passwordFile = `${folder}-password`
  const args = ['-D', folder, '-U', USER, '--encoding=UTF8', '--no-instructions', ...localeOf(binaries.major)]
  if (endpoint.password) {
    writeFileSync(passwordFile, endpoint.password, { mode: 0o600 })
    if (account) chownSync(passwordFile, account.uid, account.gid)
    args.push('--auth=scram-sha-256', `--pwfile=${passwordFile}`)
    // Replaced by `writeAccessRules`.
  } else args.push('--auth-local=trust', '--auth-host=reject')
  const { file, args: command, ...as } = launch(programPath(binaries, 'initdb'), args, folder, account)
  try {
    await run(file, command, {
      ...as,
      cwd: parse(folder).root,
      env: programEnvironment(),
      timeout: INITDB_TIMEOUT_MS,
      maxBuffer: 1_048_576,
    })
  } catch (cause) {
    throw initializeError(cause, folder)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** The same sort order and case rules on every machine, independent of its locale. */
const localeOf = (major: number) =>
  major >= 17 ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : ['--locale=C']

/** The lines with an error, or all lines without one. */
function reasonIn(output: string): string {
  const reasons = output.split('\n').filter((line) => /FATAL|PANIC|error:|setpriv:/.test(line))
  return (reasons.length > 0 ? reasons.join('\n') : output).trim()
}

function initializeError(cause: unknown, folder: string): LocalServerError {
  const output = cause instanceof Error && 'stderr' in cause ? reasonIn(String(cause.stderr)) : ''
  const message = `The local database cannot be created: ${output || (cause instanceof Error ? cause.message : String(cause))}`
  const hint = hintFor(message, dirname(folder))
  return new LocalServerError(message, { cause, ...(hint && { hint }) })
}

/** An unpacked backup has the owner and modes of the user who unpacked it; PostgreSQL requires its own. */
export function takeOver(cluster: Cluster, account: Account | undefined): void {
  const { uid, mode } = statSync(cluster.folder)
  const owner = account?.uid ?? process.getuid?.() ?? uid
  if (uid !== owner && !account)
    throw new FolderUnusable(
      `${cluster.folder} belongs to user ${uid} and this process runs as user ${owner}: start as that user, or as root run chown -R ${owner} ${cluster.folder}`,
    )
  if (uid !== owner && account) chownTree(cluster.folder, account)
  if ((mode & 0o077) !== 0) chmodSync(cluster.folder, OWNER_ONLY)
}

/** The folder itself last: its owner marks that all files are done. */
function chownTree(path: string, account: Account): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name)
    if (entry.isDirectory()) chownTree(child, account)
    else lchownSync(child, account.uid, account.gid)
  }
  lchownSync(path, account.uid, account.gid)
}

/**
 * Written at each start, so that no old file weakens them. A server that root starts runs as a user that other programs
 * may have, and admits root only; any other runs as the user of this process, which alone may enter its folder.
 */
export function writeAccessRules({ folder }: Cluster, account: Account | undefined): void {
  const users = account ? `postrider "${userInfo().username}" ${USER}\n` : ''
  replaceFile(join(folder, 'pg_ident.conf'), users, account)
  failpoint('mid-access-rules')
  replaceFile(join(folder, 'pg_hba.conf'), `local all all ${account ? 'peer map=postrider' : 'trust'}\n`, account)
}

/** Root writes through no link that the server's user may have put there. */
function replaceFile(path: string, text: string, account: Account | undefined): void {
  const fresh = `${path}.new`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' })
  if (account) lchownSync(fresh, account.uid, account.gid)
  renameSync(fresh, path)
}

export interface LocalPrograms {
  cluster: Cluster | undefined
  account: Account | undefined
  binaries: Binaries
}

/** The folder must exist. Throws `FolderUnusable` and `LocalServerError`. */
export function choosePrograms(dataDir: string, binFolder: string | undefined): LocalPrograms {
  const cluster = findCluster(dataDir)
  const account = serverAccount(cluster?.folder ?? dataDir)
  const binaries = findBinaries({ named: binFolder, major: cluster?.major, account, dataDir })
  return { cluster, account, binaries }
}

/** The same for a folder that may not exist yet. */
export function findPrograms(dataDir: string, binFolder: string | undefined): Binaries {
  if (existsSync(dataDir)) return choosePrograms(dataDir, binFolder).binaries
  return findBinaries({ named: binFolder, major: undefined, account: undefined, dataDir })
}
