/** Ids of recipients: those of users, and those that a message without a user has made up. */

/** An address without a user has an id of that message only. */
export const isAnonymous = (id: string): boolean => id.startsWith('anon_')

/** Masked recipients lead to no user. */
export const hasUser = (id: string): boolean => id !== '' && !id.includes('•') && !isAnonymous(id)
