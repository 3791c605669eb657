/** The lanes of messages, the most urgent first: claims prefer them in this order, and each has its share of every claim. */

export const lanes = { transactional: 0, automation: 1, bulk: 2 } as const

export const LANES = Object.values(lanes)
