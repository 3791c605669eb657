/** An error of a delivery in the words of the sentences: an integration with an open circuit breaker is not called. */
const BREAKER_OPEN = /^Circuit breaker open: /

export const errorText = (error: unknown): string | undefined =>
  typeof error === 'string' ? error.replace(BREAKER_OPEN, 'not called, because its latest calls failed: ') : undefined
