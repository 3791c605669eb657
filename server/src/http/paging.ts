/** A page of rows as the `paging` object of a reply. */
import type { Page } from '../database/cursor.ts'

export const paging = ({ cursor }: Page<unknown>): { more: boolean; cursor?: string } =>
  cursor === undefined ? { more: false } : { cursor, more: true }
