/** The sentences about a message and about a send, in the reader's language: what happened or would happen, why, and what is left. */
import type { DecisionStep, Explanation } from '@postrider/client'
import {
  forecast,
  type MessageFacts,
  messageSentence,
  type SentenceFormat,
  type SentencePart,
} from '@postrider/client/sentence'
import { Link } from '@tanstack/react-router'
import { useLanguage, useTexts } from '../language/language.tsx'
import { CodeText } from '../parts/code/code-text.tsx'
import { openedFrom } from '../parts/list-return.ts'
import { serverTexts } from '../parts/server-texts.ts'
import { useFormat } from '../parts/time.tsx'
import { useNameOf, useSteps } from './decision-texts.ts'
import styles from './decisions.module.css'
import { germanForecast, germanSentence } from './german-sentences.ts'

/** `level`: of the heading; a page about one message has it as its title. */
export function MessageSentence({ level, ...facts }: MessageFacts & Pick<SentenceProps, 'level'>) {
  const { steps, deliveries } = facts.explanation
  const { isGerman, ...options } = useOptions(steps, {
    topics: facts.history.some(({ type }) => type === 'DIGESTED'),
    providers: deliveries.some(({ title }) => title === undefined),
  })
  const parts = messageSentence(facts, { ...options, ...(isGerman && { texts: germanSentence }) })
  return <Sentence level={level} parts={parts} messageId={facts.message.id} />
}

interface ForecastSentenceProps extends Partial<Pick<SentenceProps, 'level'>> {
  explanation: Explanation
  /** The recipient as the reader knows them. */
  to: string
}

export function ForecastSentence({ level = 'h2', explanation, to }: ForecastSentenceProps) {
  const { isGerman, ...options } = useOptions(explanation.steps)
  return (
    <Sentence
      level={level}
      parts={forecast(explanation, { ...options, to, ...(isGerman && { texts: germanForecast }) })}
    />
  )
}

function useOptions(steps: readonly DecisionStep[], also: Parameters<typeof useNameOf>[1] = {}) {
  const { language } = useLanguage()
  const { timeOfDay, duration, list } = useFormat()
  const nameOf = useNameOf(steps, also)
  const { error } = useTexts(serverTexts)
  const format: SentenceFormat = { time: timeOfDay, duration, list, nameOf, error }
  return { format, isGerman: language === 'de', steps: useSteps() }
}

interface SentenceProps {
  /** The heading is the title of its page, or a section of it; a paragraph is a sentence among others. */
  level: 'h1' | 'h2' | 'p'
  parts: readonly SentencePart[]
  messageId?: string
}

function Sentence({ level: Heading, parts, messageId }: SentenceProps) {
  const isRest = parts.findIndex(({ isAnswer }) => !isAnswer)
  const rest = isRest < 0 ? parts.length : isRest
  const shown = parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence stay in their order
    <Part key={at} part={part} messageId={messageId} />
  ))
  return (
    <Heading
      className={Heading === 'p' ? styles.paragraph : styles.sentence}
      {...(Heading === 'h1' && { tabIndex: -1 })}
    >
      {shown.slice(0, rest)}
      <span className={styles.rest}>{shown.slice(rest)}</span>
    </Heading>
  )
}

function Part({ part: { text, delivery }, messageId }: { part: SentencePart; messageId: string | undefined }) {
  if (!delivery || messageId === undefined) return <CodeText text={text} />
  return (
    <Link
      to="/messages/$messageId"
      params={{ messageId }}
      search={{ row: delivery }}
      state={openedFrom('/messages')}
      resetScroll={false}
    >
      <CodeText text={text} />
    </Link>
  )
}
