/** Rewrites the addresses in a text of any dialect, except those that are the label of a link. */

export interface TextChange {
  /** The address instead; undefined: it stays. */
  link(url: string): string | undefined
  /** `&` is written as `&amp;`: Slack and Telegram. */
  isEscaped?: boolean
}

/** Behind `[`, `|` and `">` stands the label of a link: it is shown, and leads nowhere by itself. */
const ADDRESS = /(?<![[|\w]|">)https?:\/\/[^\s<>"'`|\\^{}[\]]+/gi

export function rewriteText(text: string, { link, isEscaped = false }: TextChange): string {
  if (!text.includes('://')) return text
  return text.replace(ADDRESS, (found) => {
    const address = withoutPunctuation(found)
    const rewritten = link(isEscaped ? address.replaceAll('&amp;', '&') : address)
    // Nothing in a rewritten address has to be escaped.
    return rewritten === undefined ? found : rewritten + found.slice(address.length)
  })
}

/** A sentence may end behind an address, and brackets may stand around it. */
function withoutPunctuation(found: string): string {
  let open = 0
  let end = found.length
  for (let at = 0; at < found.length; at += 1) {
    if (found[at] === '(') open += 1
    if (found[at] !== ')') continue
    open -= 1
    if (open < 0) {
      end = at
      break
    }
  }
  while (end > 0 && /[.,;:!?*_~]/.test(found[end - 1] ?? '')) end -= 1
  return found.slice(0, end)
}
