/** Properties draw the same cases in every run, so that a change is judged by itself; `POSTRIDER_TEST_SEED` draws others. */
import fc from 'fast-check'

const { POSTRIDER_TEST_SEED = '1' } = process.env
const seed = Number(POSTRIDER_TEST_SEED)
if (!Number.isInteger(seed))
  throw new Error(`POSTRIDER_TEST_SEED is "${POSTRIDER_TEST_SEED}"; it must be a whole number`)
fc.configureGlobal({ seed })
