/** Rendered content in a terminal: of each channel the part that its recipient sees. */
import type { Channel, RenderedContent, SmsSegments } from '@postrider/client'
import { countText } from './count-text.ts'
import { plain, plainLine } from './plain.ts'
import type { Terminal } from './terminal.ts'

export interface RenderedPart {
  channel: Channel
  provider?: string | undefined
  title?: string | undefined
  content: RenderedContent
  error?: string | undefined
}

export function renderedText(terminal: Terminal, { channel, provider, title, content, error }: RenderedPart): string {
  const heading = [channel, provider, title].flatMap((part) => (part ? [plain(part)] : [])).join('  ')
  return [
    terminal.style('bold', heading),
    ...shownLines(channel, content).map((line) => `  ${plainLine(line)}`.trimEnd()),
    ...(content.sms ? [`  ${terminal.style('dim', segmentsText(content.sms))}`] : []),
    ...(error ? [`  Error: ${plain(error)}`] : []),
  ].join('\n')
}

const shownLines = (channel: Channel, content: RenderedContent): string[] => {
  const { heading, text } = visibleParts(channel, content)
  return [heading, text].flatMap((part) => (part ? part.trimEnd().split('\n') : []))
}

const SHORT: ReadonlySet<Channel> = new Set(['sms', 'push', 'inbox'])

/** The short form is that of an SMS, a push and the inbox. An SMS has no title, a chat message only in place of a text. */
export function visibleParts(
  channel: Channel,
  { subject, title, text, body }: RenderedContent,
): { heading: string; text: string } {
  return {
    heading: channel === 'sms' || (channel === 'direct_message' && text !== '') ? '' : subject || title,
    text: SHORT.has(channel) ? body || text : text || body,
  }
}

/** `2 segments of GSM-7, 161 characters`. */
export const segmentsText = ({ segments, encoding, characters }: SmsSegments): string =>
  `${countText(segments, 'segment')} of ${encoding}, ${countText(characters, 'character')}`
