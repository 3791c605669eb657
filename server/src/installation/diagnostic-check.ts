/** The result of one check for `postrider doctor`. */
export interface DiagnosticCheck {
  name: string
  state: 'ok' | 'warn' | 'fail' | 'skip'
  detail: string
  hint?: string
}

export const check = (
  name: string,
  state: DiagnosticCheck['state'],
  detail: string,
  hint?: string,
): DiagnosticCheck => ({
  ...{ name, state, detail },
  ...(hint !== undefined && { hint }),
})
