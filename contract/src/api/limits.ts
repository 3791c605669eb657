/** Bounds that several resources share; each number has its reason. A bound of one resource is in its file. */

/** The public API accepts 6 MB; an email with its attachments fits. */
export const bodyBytesMax = 6 * 1_048_576
/** Callers without a key send a key, a link or an event. */
export const openBodyBytesMax = 16_384
/** A body nests at most this deep; real templates stay below 10. */
export const bodyDepthMax = 32
/** Many small values take longer to read than long strings: with these bounds 6 MB stay below 250 ms. */
export const bodyValuesMax = 500_000
/** A member name costs as much as five values. The 100,000 subscribers of one call fit. */
export const bodyMembersMax = 120_000
/** 512 characters, at most 1,536 bytes, fit an index entry of PostgreSQL (2,704 bytes). */
export const idCharactersMax = 512
/** Names and titles are shown on one line. */
export const nameCharactersMax = 256
/** The longest query string value that is not an id: an address or an opaque cursor. */
export const textCharactersMax = 1_024
/** A search in the documents is a few words, or a sentence of a log. */
export const searchCharactersMax = 200
/** A cursor holds one id: 512 characters of which each is written in 6, in base64. */
export const cursorCharactersMax = 4_200
/** Idempotency keys are made by programs; a UUID has 36 characters. */
export const idempotencyKeyCharactersMax = 255

/** 25 hours, so that a daily job finds its last result; a header can request 24 hours to a year. */
export const idempotencyLifetimeMs = 25 * 3_600_000
export const idempotencyLifetimeMsMin = 24 * 3_600_000
export const idempotencyLifetimeMsMax = 365 * 86_400_000

/** The limits of the public API. */
export const tagsMax = 9
export const tagCharactersMax = 30

/** Together with a user id, 512 characters of 4 bytes, it fits an index entry of PostgreSQL (2,704 bytes). */
export const tenantIdCharactersMax = 128

/** A condition is one expression. */
export const conditionCharactersMax = 4_096

/** Rows of a page of tenants or memberships when a call has no `limit`. */
export const tenantsPage = 20
/** The largest `limit`, as in the public API for tenants. */
export const pageMax = 100
/** Versions of one notification or automation template on a page when a call has no `limit`. */
export const versionsPage = 50
/** Values of one repeated filter. */
export const filterValuesMax = 50

/** A higher rate limit never takes effect. */
export const callsPerMinuteMax = 1_000_000
