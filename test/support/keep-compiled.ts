/** PostgreSQL's WebAssembly stays in the memory of a worker: every file that opens an embedded database finds it compiled. */
import { readFile } from 'node:fs/promises'

// Lists of TypeScript without the DOM do not have it.
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object> }
declare global {
  /** V8 shares the code of equal bytes between threads for as long as one of them holds a module. */
  var compiledDatabase: Promise<object> | undefined
}

const wasm = new URL('../../node_modules/@electric-sql/pglite/dist/pglite.wasm', import.meta.url)
globalThis.compiledDatabase ??= readFile(wasm).then((bytes) => WebAssembly.compile(bytes))
await globalThis.compiledDatabase
