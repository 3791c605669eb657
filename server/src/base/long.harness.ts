/** True in the long campaigns, which draw more cases, make more rows and crash more often. */
export const isLong = process.env.POSTRIDER_TEST_LONG !== undefined
