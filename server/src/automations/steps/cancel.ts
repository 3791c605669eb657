/** cancel: ends every other run in progress that holds the token. */
import type { StepBehavior } from '../step.ts'

export const cancel: StepBehavior<'cancel'> = {
  fieldKinds: { names: ['cancelation_token'] },
  act: ({ cancelation_token: token }) => ({
    kind: 'next',
    effects: { cancel: token },
    result: { cancelation_token: token },
  }),
}
