/** `cancel`: ends other runs by their token. */
import { Type } from 'typebox'
import { automationStep } from '../api/step.ts'

/** Together with a workspace, a cancelation token fits an index entry. */
export const cancelationTokenCharactersMax = 256

export default automationStep({
  position: 40,
  cancels: true,
  fields: Type.Object(
    {
      cancelation_token: Type.String({
        minLength: 1,
        maxLength: cancelationTokenCharactersMax,
        description: 'Token of the runs to cancel.',
      }),
    },
    {
      description:
        'Cancels every other run in progress that has the token. `canceled` in the result is the number of these runs.',
    },
  ),
  example: { cancelation_token: 'cart-7' },
  summary: ({ result }, { count }) =>
    `cancel ${count(result.canceled, 'run')} that hold${result.canceled === 1 ? 's' : ''} ${result.cancelation_token}`,
})
