/** The typed Postrider client. */
export type { Call, CallOptions, IfAbsent, IfUnchanged, OnWarning, Request } from './call.ts'
export * from './client.ts'
export type { ErrorCode } from './error-code.generated.ts'
export { type ErrorKind, isPostriderError, PostriderError } from './errors.ts'
// With a star: named, a declaration could not add to `ProfileFields` and `SettingsByProvider`.
export type * from './generated.ts'
export type { Listing } from './listing.ts'
export type { InLocales, Reference, WithReferences } from './shape-parts.ts'
// With a star: named, a declaration could not add to it.
export type * from './templates.ts'
