/** Every bound a caller can meet, in one place; each number carries its reason. */

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

/** One patch is one transaction over one document. */
export const patchOperationsMax = 100
/** A stored profile, as JSON. It is read for every message to its recipient. */
export const profileBytesMax = 256_000

/** Each of a tenant's properties and profile, as JSON: those of up to ten levels are read for one message. */
export const tenantBytesMax = 64_000
/** Together with a user id, 512 characters of 4 bytes, it fits an index entry of PostgreSQL (2,704 bytes). */
export const tenantIdCharactersMax = 128
/** Levels of a tenant and those above it; organisations, regions, teams and projects need four. */
export const tenantLevelsMax = 10
/** Tenants below one that a send can reach: their ids stay within a few megabytes. */
export const tenantTreeMax = 100_000
/** Topics with a default of one tenant: they are written in one statement and shown with every record. */
export const tenantTopicsMax = 200
/** Memberships written by one call: one statement of a few milliseconds. */
export const membershipsPutMax = 500
/** The longest tokens of push providers have some 250 characters; bytes, so that user and token fit an index entry. */
export const deviceTokenCharactersMax = 512
/** Devices of one user; they are listed without pages. */
export const deviceTokensMax = 100
/** What is known about one device, as JSON. */
export const deviceTokenBytesMax = 16_000
/** Two months, as in the public API: an app that is used registers again within them. */
export const deviceTokenLifetimeMs = 61 * 86_400_000

/** The look-ahead of the public API. */
export const delayDurationMsMax = 90 * 86_400_000
/** A moment as text: ISO 8601 has 30 characters, an opening-hours rule a few more. */
export const delayUntilCharactersMax = 256

/** Elements directly below a template's root; nested ones count towards `bodyBytesMax`. */
export const elementsMax = 1_000
/** Settings and snippets of a brand, as JSON: a footer, a style and some texts. Versions in use are kept in memory. */
export const brandBytesMax = 100_000
/** Snippets of one brand. */
export const snippetsMax = 100
/** A gettext catalogue of some ten thousand entries. */
export const translationCharactersMax = 1_000_000
/** Checks of one submission: people and programs that look at it. */
export const checksMax = 50
/** Entries of an inline routing. */
export const routingChannelsMax = 20
/** A condition is one expression. */
export const conditionCharactersMax = 4_096
/** Room for any ordering, far inside a database integer. */
export const providerPriorityMax = 1_000_000

/** Rows of a page when a call names no `limit`: a screen of them, fewer where a row is long. */
export const messagesPage = 10
export const notificationsPage = 50
export const brandsPage = 50
export const providersPage = 50
export const mailboxPage = 25
/** Four UUIDs with their dots have 147; with a recipient id it fits an index entry. */
export const listIdCharactersMax = 150
/** Preferences of a list or a subscription, as JSON. They are read for every message to the list. */
export const listPreferencesBytesMax = 16_000
/** One statement, which locks the list for a few seconds. */
export const subscriptionsPerCallMax = 100_000
/** Lists that one recipient joins in one call; each of them is locked. */
export const listsPerCallMax = 500
export const listsPage = 25
export const subscriptionsPage = 100
export const tenantsPage = 20
/** The largest `limit`, as the public API bounds tenants. */
export const pageMax = 100
/** Versions of one notification. */
export const versionsPage = 50
/** Values of one repeated filter. */
export const filterValuesMax = 50
/** Events are listed without pages, as in the public API. */
export const eventsListMax = 10_000
/** Keys of one workspace; they are listed without pages. */
export const keysMax = 1_000

/** A token's scope travels in a header, of which all together have 16 kB: room for some twenty users. */
export const scopeCharactersMax = 2_048
/** A year, however it is written: longer than a browser keeps anything, and only revoking its key ends one earlier. */
export const tokenLifetimeMsMax = 366 * 86_400_000
/** `2 days`, with room to write it out. */
export const durationCharactersMax = 64
/** A limit of calls a minute that is higher than this holds nobody back. */
export const callsPerMinuteMax = 1_000_000
/** Recipients of one call, as the public API bounds them; lists and bulk jobs are for more. */
export const recipientsMax = 500
/** Conditions on who of a list gets it; one is usual. */
export const membershipFiltersMax = 10
/** Groups inside groups of a routing. */
export const routingDepthMax = 4
/** As long as anybody waits for a message: a month. */
export const timeoutMsMax = 30 * 86_400_000
/** One campaign parameter. */
export const utmCharactersMax = 256
/** Users of one ingest call, as the public API recommends; 1,000 are one insert. */
export const usersPerIngestMax = 1_000
export const bulkUsersPage = 100
/** The preferences of a recipient, by notification and category, as JSON. They are read for every message. */
export const preferencesBytesMax = 64_000
/** Limits in time of one preference; one snooze is the usual number. */
export const preferenceRulesMax = 10
/** Sections are listed without pages, each with its topics: people read them on one page. */
export const sectionsMax = 100
/** Topics of one workspace; what a user wants of each is listed without pages, as in the public API. */
export const topicsMax = 500
/** What is kept with a topic, as JSON; every list of sections shows it. */
export const topicDataBytesMax = 16_000
/** Schedules of one digest: a page of preferences offers a handful. */
export const digestSchedulesMax = 10
/** Categories of one digest; an event is stored once for each it belongs to. */
export const digestCategoriesMax = 5
/** Events of one category that a digest shows: a mail of a hundred entries is as long as anybody reads. */
export const digestKeepMax = 100
/** The data of one event in a digest, as JSON: 500 of them are one message of 8 MB at the most. */
export const digestEventBytesMax = 16_384
/** Triggers of one automation template; several events that mean the same are a handful. */
export const triggersMax = 20
/** Five fields with lists and ranges. */
export const cronCharactersMax = 256
/** The longest name of a time zone has 32 characters. */
export const zoneCharactersMax = 64
/** Choices of one bulk call, as in the public API. */
export const bulkTopicsMax = 50
/** Notifications that recipients can have preferences for are listed without pages. */
export const preferencesListMax = 1_000

/** Every changed profile is looked at by every audience of its workspace. */
export const audiencesMax = 500
export const audiencesPage = 25
export const audienceMembersPage = 100
/** Groups in groups; people think in two or three levels. */
export const audienceFilterDepthMax = 8
/** Single conditions of one filter: each is asked of every user. */
export const audienceConditionsMax = 100
/** Values of one condition, of which any will do. */
export const audienceValuesMax = 100
/** A filter as JSON; it is read with every slice of changed profiles. */
export const audienceFilterBytesMax = 16_384
/** A path names a few nested keys. */
export const audiencePathCharactersMax = 256
/** A reason is stored with each member. */
export const audienceReasonCharactersMax = 1_024
/** Recipients of one dry run: a page of people to look at. */
export const dryRunRecipientsMax = 100
/** Webhooks of one workspace; each is called for every change, and they are listed without pages. */
export const webhooksMax = 20
/** What browsers and proxies take everywhere. */
export const webhookUrlCharactersMax = 2_048
/** Below 16 characters a secret can be guessed; beyond 256 it adds nothing to a digest of 32 bytes. */
export const webhookSecretCharactersMin = 16
export const webhookSecretCharactersMax = 256
export const webhookDeliveriesPage = 50
export const auditEventsPage = 50
/** Steps of one automation; people draw ten. */
export const automationStepsMax = 100
/** A run waits at most this long in one delay: yearly reminders fit, and a slip of the pen does not stay for ever. */
export const automationDelayMsMax = 2 * 366 * 86_400_000
/** Tokens that runs are canceled by; with a workspace they fit an index entry. */
export const cancelationTokenCharactersMax = 256
/** The public API bounds what a batch waits. */
export const batchWaitMsMax = 60 * 86_400_000
/** Items that one batch collects before it closes: they are read in pages, and none is lost. */
export const batchItemsMax = 10_000
/** Items that a batch hands on, as in the public API. */
export const batchRetainMax = 100
/** A throttle of a year counts yearly notices. */
export const throttlePeriodMsMax = 366 * 86_400_000
/** Profiles that a simulation is given. */
export const simulationProfilesMax = 1_000
/** Runs beside the first one of a simulation. */
export const simulationFurtherMax = 100
export const runsPage = 20
export const automationsPage = 50
/** An automation as JSON: it is stored with every run of it. */
export const automationBytesMax = 256_000
/** Of the webhook of a step: what servers commonly take. */
export const addressCharactersMax = 8_192
/** Variables that are listed of one notification: a send has a few dozen. */
export const templateVariablesMax = 1_000
