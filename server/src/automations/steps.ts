/** Every step, found by its action. */
import type { AutomationAction } from '@postrider/contract'
import type { StepKind } from './step.ts'
import { addToBatch } from './steps/add-to-batch.ts'
import { addToDigest } from './steps/add-to-digest.ts'
import { cancel } from './steps/cancel.ts'
import { delay } from './steps/delay.ts'
import { fetchData } from './steps/fetch-data.ts'
import { getProfile } from './steps/get-profile.ts'
import { invoke } from './steps/invoke.ts'
import { send } from './steps/send.ts'
import { sendList } from './steps/send-list.ts'
import { throttle } from './steps/throttle.ts'
import { updateProfile } from './steps/update-profile.ts'

export const steps: { readonly [Action in AutomationAction]: StepKind<Action> } = {
  send,
  'send-list': sendList,
  delay,
  cancel,
  'fetch-data': fetchData,
  'update-profile': updateProfile,
  'get-profile': getProfile,
  invoke,
  'add-to-batch': addToBatch,
  'add-to-digest': addToDigest,
  throttle,
}
