/** The typed Postrider client. */
export type { Call, CallOptions, Request } from './call.ts'
export * from './client.ts'
export { type ErrorKind, isPostriderError, PostriderError } from './errors.ts'
export type * from './generated.ts'
export type { Listing } from './listing.ts'
export type { InLocales, Reference, WithReferences } from './shape-parts.ts'
export type { Templates } from './templates.ts'
