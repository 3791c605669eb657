/** Distinguishes programs that open and click from people, pure; docs/guides/tracking.md lists the rules. */
import type { AutomatedReason } from '@postrider/contract'
import { SECOND } from '../base/time/duration.ts'

export interface TrackedRequest {
  method: string
  /** Lower-case names. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The time since the message was handed to its provider. */
  afterMs: number
}

/** Faster than a person reads: the mail is still on its way. */
const INSTANT_MS = 2 * SECOND
/** Longer headers are no browser's. */
const AGENT_CHARACTERS_MAX = 500

/** Undefined: a person, as far as one request shows. */
export function automatedReason({ method, headers, afterMs }: TrackedRequest): AutomatedReason | undefined {
  const header = (name: string) => String(headers[name] ?? '')
  if (method === 'HEAD') return 'head'
  if (PREFETCH_HEADERS.some((name) => /prefetch|prerender|preview/i.test(header(name)))) return 'prefetch'
  const agent = header('user-agent').trim().slice(0, AGENT_CHARACTERS_MAX)
  const named = agentReason(agent)
  return named ?? (afterMs < INSTANT_MS ? 'instant' : undefined)
}

const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']

function agentReason(agent: string): AutomatedReason | undefined {
  // The proxy of Apple Mail sends nothing but this. It loads every picture when a mail arrives.
  if (agent === 'Mozilla/5.0') return 'privacy_proxy'
  if (PERSONAL_PROXIES.test(agent)) return undefined
  if (GMAIL_PREFETCH.test(agent)) return 'prefetch'
  if (SCANNERS.test(agent)) return 'scanner'
  return agent === '' || PROGRAMS.test(agent) ? 'program' : undefined
}

/** They load a picture when a person opens the mail, and hide the device. */
const PERSONAL_PROXIES = /GoogleImageProxy|YahooMailProxy/i

/** Loads pictures before a mail is shown: https://bird.com/zh-sg/blog/gmail-prefetching-images */
const GMAIL_PREFETCH = /Edge\/12\.246 Mozilla\/5\.0$|Gmail-content-sampling/i

/** Products that check mails; BingPreview is what Safe Links of Microsoft sends. */
const SCANNERS =
  /barracuda|mimecast|proofpoint|urldefense|safelinks|microsoft-?urlanalyzer|bingpreview|symantec|messagelabs|sophos|fireeye|trellix|trend ?micro|forcepoint|ironport|cloudmark|zscaler|fortinet|checkpoint|virustotal|urlscan/i

/** Crawlers, previews of chats, and libraries. Libraries with which apps show mails are not among them. */
const PROGRAMS =
  /(?<!cu)bot\b|crawl|spider|slurp|headless|phantomjs|puppeteer|playwright|facebookexternalhit|whatsapp\/|skypeuripreview|embedly|linkpreview|^(?:curl|wget|python|aiohttp|go-http-client|java|apache-httpclient|libwww-perl|php|ruby|axios|node|undici|ahc|powershell|postmanruntime)\b/i

/** A click as the queue has it. */
export interface TrackedClick {
  link: string
  at: number
}

export interface ClickContext {
  /** Pending clicks of the same delivery, on any link, this one included or not. */
  clicks: readonly TrackedClick[]
  /** A person opened it already. */
  isOpened: boolean
  /** The latest click of a program. */
  autoClickedAt: number | undefined
}

/** A person follows one link at a time. */
const BURST_LINKS = 3
const BURST_MS = SECOND
/** A click so soon after sending that a person must have opened the mail before. */
export const UNOPENED_MS = 10 * SECOND

/** The signs that only other events of the delivery show. `isEarly`: the mail has a pixel, and was sent within `UNOPENED_MS`. */
export function clickReason(
  { link, at, isEarly }: TrackedClick & { isEarly: boolean },
  { clicks, isOpened, autoClickedAt }: ClickContext,
): AutomatedReason | undefined {
  const isNear = (other: number) => Math.abs(other - at) <= BURST_MS
  const links = new Set([link, ...clicks.filter((click) => isNear(click.at)).map((click) => click.link)])
  if (links.size >= BURST_LINKS || (autoClickedAt !== undefined && isNear(autoClickedAt))) return 'burst'
  return isEarly && !isOpened ? 'unopened' : undefined
}
