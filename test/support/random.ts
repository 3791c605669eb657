/** Random draws that are the same on every machine, for tests that generate their cases. */
export { type SeededRandom, seededRandom } from '@postrider/server/internal/base/seeded-random.harness'
