/** The scripts of a recording peer: webhooks distinguished by path and delivery, text messages by number. */
import type { Recorded, Recorder, Script } from '../support/peers/recorder.ts'

export interface PeerScript {
  /** Answers calls for the `n`-th delivery of a message to this path. */
  hook(path: string, n: number, script: Script, times?: number): void
  /** Answers texts to this number. */
  text(number: string, script: Script, times?: number): void
  callsOf(path: string): Recorded[]
  textsTo(number: string): Recorded[]
}

export const isText = ({ path }: Recorded) => path.endsWith('/Messages.json')

export function peerScript(peer: Recorder): PeerScript {
  const goesTo = (number: string) => (call: Recorded) => isText(call) && call.body.includes(encodeURIComponent(number))
  return {
    hook: (path, n, script, times) =>
      peer.answer((call) => call.path === `/${path}` && call.headers['webhook-id']!.endsWith(`-${n}`), script, times),
    text: (number, script, times) => peer.answer(goesTo(number), script, times),
    callsOf: (path) => peer.all.filter((call) => call.path === `/${path}`),
    textsTo: (number) => peer.all.filter(goesTo(number)),
  }
}
