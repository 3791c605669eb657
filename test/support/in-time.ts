/** Verdicts about time: a slow machine can be the reason. */

/** The name of the error of such a verdict. */
export const TOO_LATE = 'TooLate'

/**
 * A verdict about time that has passed, after all others of its test. `.ci/check.mjs` measures it again, alone, and is
 * red when both agree.
 */
export function inTime(judge: () => void): void {
  try {
    judge()
  } catch (error) {
    // That of an assertion cannot be assigned.
    if (error instanceof Error) Object.defineProperty(error, 'name', { value: TOO_LATE })
    throw error
  }
}
