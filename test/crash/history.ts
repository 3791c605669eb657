/** Checks that the history of a delivered message is possible, whichever processes crashed meanwhile. Pure. */

export interface HistoryEvent {
  type: string
  ts: number
}

const ONCE = ['ENQUEUED', 'MAPPED', 'SENT', 'DELIVERED']

/** Its flaws; empty when the history is possible. */
export function flawsOf(history: readonly HistoryEvent[]): string[] {
  const types = history.map(({ type }) => type)
  const flaws: string[] = []
  if (types[0] !== 'ENQUEUED') flaws.push('does not begin with ENQUEUED')
  for (const type of ONCE) if (types.filter((other) => other === type).length > 1) flaws.push(`${type} more than once`)
  const sent = types.indexOf('SENT')
  if (sent >= 0 && !types.slice(0, sent).includes('RENDERED')) flaws.push('SENT before RENDERED')
  const delivered = types.indexOf('DELIVERED')
  if (delivered < 0) flaws.push('never DELIVERED')
  else if (delivered < types.length - 1) flaws.push(`${types.slice(delivered + 1).join(', ')} after DELIVERED`)
  if (history.some(({ ts }, index) => ts < (history[index - 1]?.ts ?? 0))) flaws.push('times run backwards')
  return flaws.map((flaw) => `${flaw}: ${types.join(' ')}`)
}
