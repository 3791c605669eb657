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
