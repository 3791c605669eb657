/** The counters of a server, read from its metrics endpoint. */

/** One line of `/metrics`; 0 for what has not happened yet. Labels stand in the order of the line. */
export async function figureOf(url: string, name: string, labels: Record<string, string> = {}): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const names = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const start = names.length > 0 ? `${name}{${names.join(',')}} ` : `${name} `
  const line = text.split('\n').find((candidate) => candidate.startsWith(start))
  return Number(line?.slice(start.length) ?? 0)
}

/** How often it refused this operation. */
export const rejectedCalls = (url: string, operation: string): Promise<number> =>
  figureOf(url, 'postrider_http_request_seconds_count', { operation, status: '4xx' })
