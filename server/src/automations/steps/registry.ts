/** Every step, found by its action. */
import type { AutomationAction } from '@postrider/contract'
import type { StepBehavior } from '../step.ts'
import { addToBatch } from './add-to-batch.ts'
import { addToDigest } from './add-to-digest.ts'
import { cancel } from './cancel.ts'
import { delay } from './delay.ts'
import { fetchData } from './fetch-data.ts'
import { getProfile } from './get-profile.ts'
import { invoke } from './invoke.ts'
import { send } from './send.ts'
import { sendList } from './send-list.ts'
import { throttle } from './throttle.ts'
import { updateProfile } from './update-profile.ts'

export const steps: { readonly [Action in AutomationAction]: StepBehavior<Action> } = {
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
