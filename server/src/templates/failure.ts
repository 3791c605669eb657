/** The two ways in which templates fail: the author's content, or one message's rendering. */
import type { FindingCode } from '@postrider/contract'

/** The author's content breaks a rule; the message names the path: `elements.2.href`. */
export class ContentInvalid extends Error {
  override readonly name = 'ContentInvalid'
}

/** This message cannot be rendered; the same input fails again. */
export class RenderFailed extends Error {
  override readonly name = 'RenderFailed'
  /** The code of the mistake behind it, by which messages are found. */
  readonly code: FindingCode | undefined

  constructor(message: string, { code, cause }: { code?: FindingCode | undefined; cause?: unknown } = {}) {
    super(message, { cause })
    this.code = code
  }
}
