/** Hosts as they may stand in a header, a link or a policy: a name or an address, and a port. */

/** Names have letters of ASCII: those of other scripts are written as `xn--…` there. */
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i

const PORT_MAX = 65_535

export function isHost(text: string): boolean {
  const match = HOST.exec(text)
  return match !== null && Number(match[1] ?? 0) <= PORT_MAX
}
