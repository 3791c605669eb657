/** Treatment of variables without a value: the choice of a template, or of the environment. */

export const missingVariableChoices = ['keep', 'fail', 'empty'] as const
export type OnMissingVariable = (typeof missingVariableChoices)[number]

export const missingVariableMeaning =
  '`keep`: `{name}` stays in the message as it is written, and the recipient reads it. `fail`: the message is not sent. `empty`: nothing stands in its place.'
