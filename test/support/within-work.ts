/** Bounds of work in system tests, as in those beside the code. */
export { withinWork } from '@postrider/server/internal/base/processor-time.harness'
