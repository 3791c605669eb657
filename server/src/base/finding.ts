/** A mistake that does not keep a message from being sent: a code to find it by, and a sentence. */
import type { FindingCode } from '@postrider/contract'

export interface Finding {
  readonly code: FindingCode
  readonly text: string
}

/** Most messages have none: they share it. */
export const noFindings: readonly Finding[] = []

export const textsOf = (findings: readonly Finding[]): string[] => [...new Set(findings.map(({ text }) => text))]

export const codesOf = (findings: readonly Finding[]): FindingCode[] => [...new Set(findings.map(({ code }) => code))]

/** Whether a list for `max` findings takes one more: beyond it only the first of a code, by which messages are found. */
export const hasRoom = (findings: readonly Finding[], code: FindingCode, max: number): boolean =>
  findings.length < max || findings.every((finding) => finding.code !== code)

/** `max` of them, and the first of each code that is not among those. */
export function shortened(findings: readonly Finding[], max: number): readonly Finding[] {
  if (findings.length <= max) return findings
  const kept: Finding[] = []
  for (const finding of findings) if (hasRoom(kept, finding.code, max)) kept.push(finding)
  return kept
}
