/** Why a message goes nowhere, from the candidates that were considered. */
import type { Candidate } from '@postrider/contract'
import type { Ending } from './deciding.ts'
import { optedOut } from './preferences.ts'

export const isUnwanted = ({ reason }: Candidate) => reason === 'UNSUBSCRIBED'

const isFiltered = ({ reason }: Candidate) => reason === 'FILTERED'
const isSandbox = ({ reason }: Candidate) => reason === 'SANDBOX'

export function whyNowhere(considered: readonly Candidate[]): { stop: Ending; summary: string } {
  if (considered.length === 0)
    return {
      stop: { status: 'UNROUTABLE', reason: 'NO_CHANNELS', error: 'No channels added' },
      summary: 'There is no channel to use.',
    }
  if (considered.every(isUnwanted))
    return { stop: optedOut, summary: 'The recipient wants it by none of its channels.' }
  if (considered.every(({ reason }) => reason === 'EXPIRED'))
    return {
      stop: { status: 'UNDELIVERABLE', reason: 'EXPIRED', error: 'Its time in the inbox is over' },
      summary: 'No inbox shows it any more.',
    }
  // The sandbox has stepped back for an integration that a condition took out.
  if (considered.some(isFiltered) && considered.every((one) => isFiltered(one) || isSandbox(one))) {
    const failed = considered.find((one) => one.error)?.error
    const error = `The conditions of its channels ${failed === undefined ? 'are not met' : `cannot be evaluated: ${failed}`}`
    return { stop: { status: 'FILTERED', reason: 'FILTERED', error }, summary: `${error}.` }
  }
  return {
    stop: { status: 'UNROUTABLE', reason: 'NO_PROVIDERS', error: 'No providers added' },
    summary: 'No integration of these channels can reach the recipient.',
  }
}
