/** How values stand in the sentences about messages and sends. */
import type { SentenceFormat } from '@postrider/client/sentence'
import { utcTime } from './plain.ts'
import { tookText } from './span.ts'

export const sentenceFormat: SentenceFormat = {
  time: utcTime,
  duration: tookText,
  list: (items) => new Intl.ListFormat('en').format(items),
}
