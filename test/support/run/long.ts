/** Whether a system test runs in a campaign, as in those beside the code. */
export { isLong } from '@postrider/server/internal/base/long.harness'
