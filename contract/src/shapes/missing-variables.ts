/** Treatment of variables without a value: the choice of a template, or of the environment. */

export const missingVariableChoices = ['keep', 'fail', 'empty'] as const
export type OnMissingVariable = (typeof missingVariableChoices)[number]

export const missingVariableMeaning =
  '`keep`: the recipient reads `{name}`. `fail`: content with such a variable is not sent. `empty`: the variable is left out.'
