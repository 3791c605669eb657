/** The steps of a decision in the reader's language. */
import type { DecisionStep, Explanation } from '@postrider/client'
import { englishSteps, type StepTexts, stepText } from '@postrider/client/steps'
import { useLanguage } from '../language/language.tsx'
import { useFormat } from '../parts/time.tsx'
import { germanSteps } from './german-steps.ts'

export const useSteps = (): StepTexts => (useLanguage().language === 'de' ? germanSteps : englishSteps)

export function useStepText(): (step: DecisionStep) => string {
  const steps = useSteps()
  const { timeOfDay } = useFormat()
  return (step) => stepText(steps, step, { time: timeOfDay })
}

/** Gives why nothing is rendered; an error of rendering is in the words of the API. */
export function useReasonText(): (explanation: Pick<Explanation, 'decision' | 'candidates' | 'steps'>) => string {
  const stepText = useStepText()
  return ({ decision, candidates, steps }) => {
    const candidate = candidates.find(({ reason }) => reason !== undefined)
    const stop = steps.find(({ step, outcome }) => outcome === 'stopped' && step !== 'render')
    return (stop && stepText(stop)) ?? decision.error ?? candidate?.reason ?? decision.reason ?? decision.status
  }
}
