/** Selects the PostgreSQL programs and the user for a data folder. */
import { existsSync } from 'node:fs'
import { type Account, serverAccount } from './account.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { type Cluster, findCluster } from './cluster.ts'

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
