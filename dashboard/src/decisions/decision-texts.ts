/** The steps of a decision in the reader's language. */
import type { Candidate, DecisionStep, Explanation } from '@postrider/client'
import { capitalized, channelChoice, type SentenceFormat, whyNotTried } from '@postrider/client/sentence'
import { englishSteps, type StepTexts, stepText } from '@postrider/client/steps'
import { useLanguage, useTexts } from '../language/language.tsx'
import { useProviderNames } from '../names/provider-names.ts'
import { useTemplateNames } from '../names/template-names.ts'
import { useTopicNames } from '../names/topic-names.ts'
import { reasonMeanings } from '../parts/meanings.ts'
import { useFormat } from '../parts/time.tsx'
import { germanWhyNotTried } from './german-sentences.ts'
import { germanSteps } from './german-steps.ts'

export const useSteps = (): StepTexts => (useLanguage().language === 'de' ? germanSteps : englishSteps)

/** Names of templates, and of the topics and providers that these steps mention or that are mentioned besides. */
export function useNameOf(
  steps: readonly DecisionStep[],
  also: { topics?: boolean; providers?: boolean } = {},
): NonNullable<SentenceFormat['nameOf']> {
  const findings = steps.flatMap((step) => [step, ...(step.notes ?? [])])
  const topic = useTopicNames(
    also.topics || steps.some(({ params, facts }) => 'topic_id' in params || facts.topic_id !== undefined),
  )
  const provider = useProviderNames(also.providers || findings.some(({ params }) => 'suppressions' in params))
  const template = useTemplateNames()
  const names = { template, topic, provider }
  return (kind, id) => names[kind].get(id)
}

export function useStepText(steps: readonly DecisionStep[] = []): (step: DecisionStep) => string {
  const sentences = useSteps()
  const { timeOfDay } = useFormat()
  const nameOf = useNameOf(steps)
  return (step) => stepText(sentences, step, { time: timeOfDay, nameOf })
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

/** Why a candidate is not used: the choice of other channels, the entry of the list of suppressed addresses and the missing address in full. */
export function useCandidateReason(): (
  candidate: Pick<Candidate, 'channel' | 'reason' | 'suppression'>,
  steps: readonly DecisionStep[],
) => string | undefined {
  const why = useLanguage().language === 'de' ? germanWhyNotTried : whyNotTried
  const meanings: Record<string, string> = useTexts(reasonMeanings)
  const { timeOfDay, duration, list } = useFormat()
  return ({ channel, reason, suppression }, steps) => {
    const choice = reason === 'UNSUBSCRIBED' ? channelChoice(steps) : undefined
    const isInFull = choice || suppression || reason === 'UNSUBSCRIBED' || reason === 'INCOMPLETE_PROFILE_DATA'
    if (!reason || !isInFull) return meanings[reason ?? ''] ?? reason
    const about = { channels: [channel], reason, ...(choice && { choice }), ...(suppression && { suppression }) }
    return `${capitalized(why(about, { time: timeOfDay, duration, list }))}.`
  }
}
