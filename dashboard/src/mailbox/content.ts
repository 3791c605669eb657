/** A captured message, read: its address, its headers, and the links in it. */
import type { MailboxItem } from '@postrider/client'

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

export function contentOf({ channel, content }: MailboxItem) {
  const to = content.to as { address?: unknown } | string | undefined
  return {
    channel,
    to: typeof to === 'string' ? to : text(to?.address),
    subject: text(content.subject),
    title: text(content.title),
    html: text(content.html),
    text: text(content.text),
    body: text(content.body),
  }
}

const TITLE_MAX = 80

/** The subject or title; without one the beginning of its text. */
export function titleOf({
  subject,
  title,
  body,
  text,
}: Pick<ReturnType<typeof contentOf>, 'subject' | 'title' | 'body' | 'text'>) {
  if (subject || title) return subject || title
  const [line = ''] = (body || text || '').trimStart().split('\n', 1)
  return line.length > TITLE_MAX ? `${line.slice(0, TITLE_MAX)}…` : line
}

/** Shown otherwise, or no header. */
const SHOWN = new Set([
  ...['to', 'subject', 'html', 'text', 'body', 'blocks', 'title', 'channel', 'raw', 'attachments', 'actions', 'sms'],
])

/** Further fields of the captured request that a mail would have as headers. */
export const headersOf = ({ content }: MailboxItem): [name: string, value: string][] =>
  Object.entries(content).flatMap(([name, value]): [string, string][] =>
    SHOWN.has(name) || value === null || value === undefined || value === ''
      ? []
      : name === 'headers' && typeof value === 'object'
        ? Object.entries(value).map(([header, line]) => [header, String(line)])
        : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
  )

const LINKS_MAX = 200

/** Addresses that a person may open on purpose; those of other kinds are left out. */
export function linksOf(html: string | undefined, plain: string | undefined): { label: string; href: string }[] {
  const links = new Map<string, string>()
  if (html) for (const { href, label } of anchors(html)) links.set(href, label)
  else for (const [href] of (plain ?? '').matchAll(/https?:\/\/[^\s<>"')]+/g)) links.set(href, '')
  return [...links]
    .filter(([href]) => /^(?:https?|mailto|tel|sms):/i.test(href))
    .slice(0, LINKS_MAX)
    .map(([href, label]) => ({ href, label }))
}

/** A mail of this length is cut off by every client. */
const HTML_MAX = 1_000_000

/** Without a parsed document, whose styles the policy of the page would refuse one by one. */
function anchors(html: string): { href: string; label: string }[] {
  return html
    .slice(0, HTML_MAX)
    .split(/<a\s/i)
    .slice(1)
    .flatMap((part) => {
      const end = part.indexOf('>')
      const [, double, single] = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(part.slice(0, end)) ?? []
      const href = decodeEntities(double ?? single ?? '')
      const [inner = ''] = part.slice(end + 1).split(/<\/a\s*>/i, 1)
      return href === ''
        ? []
        : [
            {
              href,
              label: decodeEntities(inner.replace(/<[^>]*>/g, ' '))
                .replace(/\s+/g, ' ')
                .trim(),
            },
          ]
    })
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", nbsp: ' ' }
const decodeEntities = (text: string) => text.replace(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole)
