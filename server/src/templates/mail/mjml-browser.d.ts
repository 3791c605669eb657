/** The one function of mjml-browser that is used; the package brings no types. */
declare module 'mjml-browser' {
  export default function mjml(
    source: string,
    options?: { validationLevel?: 'strict' | 'soft' | 'skip' },
  ): Promise<{ html: string; errors: unknown[] }>
}
