/** Warns of mails that are too large to be shown whole. */
import { RenderFailed } from '../failure.ts'
import { render } from '../render.ts'
import type { Template } from '../template.ts'

/** Gmail shows this much of the HTML, and a link to the rest. */
const SHOWN_BYTES = 102 * 1024

/** At most one sentence. */
export function sizeWarnings(html: string): string[] {
  // A character has three bytes at most.
  if (html.length * 3 <= SHOWN_BYTES) return []
  const bytes = Buffer.byteLength(html)
  if (bytes <= SHOWN_BYTES) return []
  return [`The HTML of the email has ${Math.ceil(bytes / 1024)} kB: Gmail shows 102 kB and cuts off the rest.`]
}

/** The same for a mail without any values: with them it can only become larger, unless they choose what is shown. */
export function templateSizeWarnings(template: Template): string[] {
  try {
    return sizeWarnings(render(template, { channel: 'email', dialect: 'html', context: { data: {} } }).html)
  } catch (error) {
    // Without values, or without content for mail, there is nothing to measure.
    if (error instanceof RenderFailed) return []
    throw error
  }
}
