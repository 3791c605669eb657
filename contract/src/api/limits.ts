/** Bounds that several resources share; each number has its reason. A bound of one resource is in its file. */

/** The public API takes 6 MB; a mail with its attachments fits. */
export const bodyBytesMax = 6 * 1_048_576
/** A body nests at most this deep; real templates stay below 10. */
export const bodyDepthMax = 32
/** A body of small values takes longer than one of long texts: with these bounds reading 6 MB stays below 250 ms. */
export const bodyValuesMax = 500_000
/** A name of a member costs as much as five values. The 100,000 subscribers of one call fit. */
export const bodyMembersMax = 120_000
/** A text of 512 characters, at most 1,536 bytes, fits an index entry of PostgreSQL (2,704 bytes). */
export const idCharactersMax = 512
/** Names and titles are shown in one line. */
export const nameCharactersMax = 256
/** The longest query string value that is not an id: an address or an opaque cursor. */
export const textCharactersMax = 1_024
/** A cursor holds one id: 512 characters of which each is written in 6, in base64. */
export const cursorCharactersMax = 4_200
/** Idempotency keys are made by programs; a UUID has 36 characters. */
export const idempotencyKeyCharactersMax = 255

/** A result is kept for 25 hours, so that a daily job finds yesterday's; a header may ask for 24 hours to a year. */
export const idempotencyLifetimeMs = 25 * 3_600_000
export const idempotencyLifetimeMsMin = 24 * 3_600_000
export const idempotencyLifetimeMsMax = 365 * 86_400_000

/** Tags as the public API bounds them. */
export const tagsMax = 9
export const tagCharactersMax = 30

/** Together with a user id, 512 characters of 4 bytes, it fits an index entry of PostgreSQL (2,704 bytes). */
export const tenantIdCharactersMax = 128

/** A condition is one expression. */
export const conditionCharactersMax = 4_096

/** Rows of a page of tenants or memberships when a call has no `limit`. */
export const tenantsPage = 20
/** The largest `limit`, as the public API bounds tenants. */
export const pageMax = 100
/** Versions of one notification or automation template on a page when a call has no `limit`. */
export const versionsPage = 50
/** Values of one repeated filter. */
export const filterValuesMax = 50

/** A higher rate limit never takes effect. */
export const callsPerMinuteMax = 1_000_000
