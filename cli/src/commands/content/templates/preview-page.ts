/** A preview as one page that needs no server and no other file: each channel as its recipient sees it. */
import { createHash } from 'node:crypto'
import type { ChannelPreview, NotificationPreview } from '@postrider/client'
import { escapeAttribute, escapeUTF8 } from 'entities/escape'
import { segmentsText, visibleParts } from '../../../rendered-text.ts'

/** The template, and its reader. */
export interface PreviewCaption {
  name: string
  version: string | undefined
  user: string | undefined
}

export function previewPage(preview: NotificationPreview, caption: PreviewCaption): string {
  const { results, warnings } = preview
  const title = escapeUTF8(caption.name)
  const sections = results.map(section)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${title}: preview</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
${facts(preview, caption)}
</header>
${warnings.length > 0 ? `<ul class="warnings">${warnings.map((warning) => `<li>${escapeUTF8(warning)}</li>`).join('')}</ul>` : ''}
${sections.join('\n')}
<script>${SCRIPT}</script>
</body>
</html>
`
}

function facts({ locale }: NotificationPreview, { version, user }: PreviewCaption): string {
  const parts = [
    ['Version', version],
    ['User', user],
    ['Locale', locale],
  ].flatMap(([term, value]) => (value ? [`<dt>${term}</dt><dd>${escapeUTF8(value)}</dd>`] : []))
  return parts.length > 0 ? `<dl>${parts.join('')}</dl>` : ''
}

const channelTitles: Readonly<Record<ChannelPreview['channel'], string>> = {
  email: 'Email',
  sms: 'SMS',
  push: 'Push',
  direct_message: 'Chat',
  inbox: 'Inbox',
  webhook: 'Webhook',
}

function section(result: ChannelPreview): string {
  const { channel, provider, error } = result
  const by = provider === undefined ? '' : ` <small>${escapeUTF8(provider)}</small>`
  return `<section>
<h2>${channelTitles[channel]}${by}</h2>
${error === undefined ? '' : `<p class="error">${escapeUTF8(error)}</p>`}
${channel === 'email' ? mail(result) : short(result)}
</section>`
}

/** The mail runs no script. It has the origin of the page, which measures its height. */
function mail({ content: { subject, html, text } }: ChannelPreview): string {
  if (html === '') return text === '' ? '' : `<pre>${escapeUTF8(text)}</pre>`
  return `<p class="subject">${escapeUTF8(subject)}</p>
<form class="view">
<label><input type="radio" name="width" value="desktop" checked> Desktop</label>
<label><input type="radio" name="width" value="phone"> Phone</label>
<label><input type="radio" name="scheme" value="light" checked> Light</label>
<label><input type="radio" name="scheme" value="dark"> Dark</label>
</form>
<div class="stage"><iframe title="${escapeAttribute(subject)}" sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox" srcdoc="${escapeAttribute(withLinksOutside(html))}"></iframe></div>
<details><summary>As text</summary><pre>${escapeUTF8(text)}</pre></details>`
}

/** The frame shows nothing but the mail: its links open beside the page. A `srcdoc` has no other layout without a doctype. */
const withLinksOutside = (html: string): string => `<base target="_blank">${html}`

function short({ channel, content }: ChannelPreview): string {
  const { heading, text } = visibleParts(channel, content)
  const title = heading === '' ? '' : `<strong>${escapeUTF8(heading)}</strong>`
  const segments = content.sms ? `<p class="note">${escapeUTF8(segmentsText(content.sms))}</p>` : ''
  return `<div class="bubble">${title}${escapeUTF8(text)}</div>${segments}`
}

const STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#ffffff, #121518);
  --sunk: light-dark(#f5f7f9, #0d0f11);
  --line: light-dark(#e3e7ec, #272d33);
  --ink: light-dark(#14181f, #e8ebee);
  --ink-2: light-dark(#5b6570, #98a2ad);
  --bad: light-dark(#b3231a, #ff8f84);
  --bad-ground: light-dark(#fcebe9, #331716);
  --warn: light-dark(#855200, #f0c062);
  --warn-ground: light-dark(#fdf2dc, #2d220e);
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 780px; padding: 24px 16px 48px;
  background: var(--page); color: var(--ink);
  font: 0.875rem/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif;
}
h1 { margin: 0; font-size: 1.5rem; line-height: 1.35; overflow-wrap: anywhere; }
h2 { margin: 0 0 12px; font-size: 1rem; }
small { color: var(--ink-2); font-weight: 400; }
dl { display: flex; flex-wrap: wrap; gap: 4px 8px; margin: 4px 0 0; }
dt { color: var(--ink-2); }
dd { margin: 0 12px 0 0; }
section { margin-top: 32px; }
.warnings, .error { margin: 16px 0 0; border-radius: 8px; padding: 12px 16px; overflow-wrap: anywhere; }
.warnings { list-style: none; color: var(--warn); background: var(--warn-ground); }
.error { margin: 0 0 12px; color: var(--bad); background: var(--bad-ground); }
.subject { margin: 0 0 8px; font-weight: 600; overflow-wrap: anywhere; }
.view { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 0 0 8px; color: var(--ink-2); }
.view label:nth-child(3) { margin-left: auto; }
.stage { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--sunk); }
iframe { display: block; margin: 0 auto; border: 0; width: 100%; max-width: 700px; height: 480px; color-scheme: light; }
section:has([value='phone']:checked) iframe { max-width: 390px; }
section:has([value='dark']:checked) iframe { color-scheme: dark; }
summary { margin-top: 8px; color: var(--ink-2); cursor: pointer; }
pre, .bubble { margin: 8px 0 0; border-radius: 8px; padding: 12px 16px; background: var(--sunk); white-space: pre-wrap; overflow-wrap: anywhere; }
pre { font-size: 0.8125rem; }
.bubble { max-width: 390px; margin: 0; }
.bubble strong { display: block; }
.note { margin: 4px 0 0; color: var(--ink-2); }
`

const SCRIPT = `
for (const frame of document.querySelectorAll('iframe')) {
  const fit = () => {
    const root = frame.contentDocument?.documentElement
    if (!root) return
    // A document is at least as high as its frame.
    frame.style.height = '0'
    frame.style.height = Math.min(6000, Math.max(200, root.scrollHeight)) + 'px'
  }
  frame.addEventListener('load', fit)
  frame.closest('section').addEventListener('change', fit)
}
`

/** The mail has the policy of the page: it shows pictures and fonts of other servers, and sends nothing anywhere. */
const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline' *",
  'img-src * data:',
  'font-src * data:',
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  "form-action 'none'",
].join('; ')
