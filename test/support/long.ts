/** True in the long campaigns, where more cases are drawn, more rows made and more deaths died. */
export const isLong = process.env.POSTRIDER_TEST_LONG !== undefined
