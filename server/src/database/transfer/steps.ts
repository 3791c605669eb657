/** An import as a list of steps, each a chunk and the statements that commit it once. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Statement } from '../engine.ts'
import { quotedIdentifier, selfReferences, type Table } from './catalog.ts'
import { type Chunk, TransferRefused } from './manifest.ts'

export interface Step {
  /** `references` follows the rows of a table: it sets columns by which they reference each other. */
  kind: 'rows' | 'references'
  table: Table
  chunk: Chunk
}

const unpack = promisify(gunzip)

/** Tables in the order given, which is that of their references. */
export function stepsOf(tables: readonly Table[], chunks: readonly Chunk[]): Step[] {
  return tables.flatMap((table) => {
    const own = chunks.filter((chunk) => chunk.table === table.name)
    const stepsOfKind = (kind: Step['kind']) => own.map((chunk): Step => ({ kind, table, chunk }))
    return [...stepsOfKind('rows'), ...(selfReferences(table).length > 0 ? stepsOfKind('references') : [])]
  })
}

const NEWLINE = 0x0a
const COMMA = 0x2c

/** The rows as one JSON array, never parsed here. Throws `TransferRefused` when they are not as many as they should be. */
export async function unpacked(packed: Buffer, { chunk }: Step): Promise<Buffer> {
  const lines = await unpack(packed, { maxOutputLength: chunk.bytesUnpacked })
  const array = Buffer.allocUnsafe(lines.length + 1)
  array[0] = 0x5b
  lines.copy(array, 1)
  let rows = 0
  // No row holds one: JSON escapes it.
  for (let at = array.indexOf(NEWLINE); at >= 0; at = array.indexOf(NEWLINE, at + 1)) {
    array[at] = COMMA
    rows += 1
  }
  array[array.length - 1] = 0x5d
  if (rows !== chunk.rows)
    throw new TransferRefused(`${chunk.file} has ${rows} rows instead of ${chunk.rows}: it is damaged`)
  return array
}

/**
 * The rows and the count of steps in one commit. It happens once: the count must be the one before this step, and
 * every row must have been written.
 */
export function stepStatements(
  { kind, table, chunk }: Step,
  json: Buffer,
  { exportId, index }: { exportId: string; index: number },
): Statement[] {
  const name = quotedIdentifier(table.name)
  const write = kind === 'rows' ? insertText(table) : updateText(table)
  const expected = kind === 'rows' ? 'and (select count(*) from written) = $4' : ''
  const statement = {
    text: `with source as (select * from json_populate_recordset(null::${name}, $1::json)), written as (${write} returning 1)
      update moves set steps = $3 + 1
      where export_id = $2 and state = 'importing' and steps = $3 ${expected}`,
    values: [json, exportId, index, ...(kind === 'rows' ? [chunk.rows] : [])],
    expectRows: true,
  }
  if (!table.triggers) return [statement]
  // What triggers derive from rows is in the export already.
  return [
    { text: `alter table ${name} disable trigger user` },
    statement,
    { text: `alter table ${name} enable trigger user`, values: [] },
  ]
}

function insertText(table: Table): string {
  const later = selfReferences(table)
  const columns = table.columns.filter(({ name }) => !later.includes(name)).map(({ name }) => quotedIdentifier(name))
  return `insert into ${quotedIdentifier(table.name)} (${columns.join(', ')}) overriding system value
    select ${columns.join(', ')} from source`
}

function updateText(table: Table): string {
  const later = selfReferences(table).map(quotedIdentifier)
  const key = table.key.map(({ name }) => quotedIdentifier(name))
  return `update ${quotedIdentifier(table.name)} t set ${later.map((column) => `${column} = s.${column}`).join(', ')} from source s
    where ${key.map((column) => `t.${column} = s.${column}`).join(' and ')}
      and (${later.map((column) => `s.${column} is not null`).join(' or ')})`
}
