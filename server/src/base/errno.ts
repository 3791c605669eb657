/** Errors of the operating system by their code, such as ENOENT. */
export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
