/** The methods that a path of the API can be called with: for the 405 to a call with another one. */
import type { Operation } from '@postrider/contract'

/** Gives the methods of a path, `HEAD` beside `GET`; none for a path that leads nowhere. */
export function allowedMethods(operations: readonly Pick<Operation, 'method' | 'path'>[]): (url: string) => string[] {
  const patterns = operations.map(({ method, path }) => ({ method, segments: segmentsOf(path) }))
  return (url) => {
    const segments = segmentsOf(url.split('?', 1)[0] ?? '')
    const methods = patterns.filter((pattern) => leadsTo(pattern.segments, segments)).map(({ method }) => method)
    const allowed = methods.flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : [method]))
    return [...new Set<string>(allowed)]
  }
}

/** As the router reads them: doubled slashes and one at the end do not count. */
const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '')

const leadsTo = (pattern: readonly string[], segments: readonly string[]) =>
  pattern.length === segments.length &&
  pattern.every((segment, index) => segment.startsWith(':') || segment === segments[index])
