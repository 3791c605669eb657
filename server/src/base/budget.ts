/** The budget of the work for one message: steps of evaluation, and characters read or written. */

/** The rest of a budget; below zero it is used up. */
export interface Budget {
  steps: number
  characters: number
}

/** Spent to the last, either takes some 100 ms of processor time: a message holds up the others for no longer. */
export const messageStepsMax = 1_000_000
export const messageCharactersMax = 5_000_000

/** A part of the budget of one message; `share` is at most 1. */
export const budgetOf = (share = 1): Budget => ({
  steps: Math.floor(messageStepsMax * share),
  characters: Math.floor(messageCharactersMax * share),
})

export const isSpent = ({ steps, characters }: Budget) => steps < 0 || characters < 0
