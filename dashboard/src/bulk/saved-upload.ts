/** How far the upload of a job is, for this tab: after a reload it goes on with the same file. */
import type { Column } from './columns.ts'
import type { Upload } from './upload.ts'

export interface SavedUpload {
  /** Differs by name, size and time of the file. */
  fileDigest: string
  columns: readonly Column[]
  upload: Pick<Upload, 'page' | 'done' | 'present'>
}

const nameOf = (jobId: string) => `postrider-bulk-${jobId}`

export function readUpload(jobId: string): SavedUpload | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(nameOf(jobId)) ?? 'null') as SavedUpload | null) ?? undefined
  } catch {
    return undefined
  }
}

/** Without storage an upload starts at its first page again; no user is added twice. */
export function saveUpload(jobId: string, saved: SavedUpload | undefined): void {
  try {
    if (saved) sessionStorage.setItem(nameOf(jobId), JSON.stringify(saved))
    else sessionStorage.removeItem(nameOf(jobId))
  } catch {
    // See above.
  }
}
