/** The page of preferences as HTML: without scripts, in the colors of a brand, for light and dark screens. */
import { createHash } from 'node:crypto'
import { isHost } from '../base/host.ts'
import { html as escaped } from '../templates/escape.ts'
import type { Palette, Theme } from '../templates/mail/look.ts'
import { themeOf } from '../templates/mail/theme.ts'
import type { Brand } from '../templates/template.ts'
import type { OfferedSection, OfferedTopic } from './choices.ts'
import { type EarlierChoice, earlierText } from './form.ts'
import type { PageTexts } from './texts.ts'

export interface PageDocument {
  html: string
  /** Its content security policy. */
  policy: string
}

export interface Appearance {
  texts: PageTexts
  brand: Brand | undefined
  /** The tenant, else the brand; empty without either. */
  name: string
}

export type Notice =
  | { kind: 'saved' | 'undone' | 'expired' | 'sample' }
  | { kind: 'unsubscribed'; topic: string }
  | { kind: 'unsubscribedAll' }

export interface PreferencePage extends Appearance {
  sections: readonly OfferedSection[]
  notice: Notice | undefined
  /** The choices that an undo restores. */
  earlier: readonly EarlierChoice[]
  /** The topic that the link unsubscribes from, as long as it is on. */
  focus: OfferedTopic | undefined
  formToken: string
  /** For the form that restores `earlier`. */
  undoToken: string
}

export function preferencePage(page: PreferencePage): PageDocument {
  const { texts, sections, notice, focus } = page
  const all = sections.flatMap(({ topics }) => topics)
  const isOpen = all.some(({ isRequired }) => !isRequired)
  const isAnyOn = all.some(({ isRequired, isOn }) => isOn && !isRequired)
  const body = [
    notice ? noticeOf(notice, page) : '',
    `<h1>${escaped(texts.title)}</h1>`,
    focus ? form(page, 'unsubscribe', `<button class="main">${withTopic(texts.unsubscribe, focus.name)}</button>`) : '',
    `<p>${escaped(all.length > 0 ? texts.intro : texts.nothing)}</p>`,
    all.length > 0
      ? form(
          page,
          'save',
          sections.map((section) => sectionOf(section, texts)).join('\n') +
            (isOpen ? `<button${focus ? '' : ' class="main"'}>${escaped(texts.save)}</button>` : ''),
        )
      : '',
    isAnyOn ? form(page, 'unsubscribe_all', `<button>${escaped(texts.unsubscribeAll)}</button>`) : '',
  ]
  return documentOf(page, texts.title, body.join('\n'))
}

/** For a link that this server did not give out, one that shows what a link looks like, and one of an erased person. */
export const noticePage = (appearance: Appearance, kind: 'invalid' | 'sample' | 'erased'): PageDocument => {
  const { texts } = appearance
  const [title, hint] = {
    invalid: [texts.invalid, texts.invalidHint] as const,
    sample: [texts.title, texts.sample] as const,
    erased: [texts.erased, texts.erasedHint] as const,
  }[kind]
  return documentOf(appearance, title, `<h1>${escaped(title)}</h1><p>${escaped(hint)}</p>`)
}

/** Without an address, a form is submitted to the page's own, also below a path of a proxy. */
const form = ({ formToken, undoToken }: PreferencePage, action: string, content: string) =>
  `<form method="post"><input type="hidden" name="action" value="${action}"><input type="hidden" name="form" value="${escaped(action === 'undo' ? undoToken : formToken)}">${content}</form>`

function noticeOf(notice: Notice, page: PreferencePage): string {
  const { texts, earlier } = page
  const text =
    notice.kind === 'unsubscribed' ? withTopic(texts.unsubscribed, notice.topic) : escaped(texts[notice.kind])
  const before = earlier.map((choice) => `<input type="hidden" name="before" value="${escaped(earlierText(choice))}">`)
  const undo = before.length > 0 ? form(page, 'undo', `${before.join('')}<button>${escaped(texts.undo)}</button>`) : ''
  const role = notice.kind === 'expired' ? 'alert' : 'status'
  return `<div class="notice" role="${role}"><p>${text}</p>${undo}</div>`
}

const sectionOf = ({ name, topics }: OfferedSection, texts: PageTexts) =>
  `<fieldset><legend><h2><bdi>${escaped(name)}</bdi></h2></legend>
${topics.map((topic) => topicOf(topic, texts)).join('\n')}
</fieldset>`

function topicOf({ id, name, isRequired, isOn, channels }: OfferedTopic, texts: PageTexts): string {
  const named = `<bdi>${escaped(name)}</bdi>`
  if (isRequired)
    return `<div class="topic"><label><input type="checkbox" checked disabled> <span>${named} <small>${escaped(texts.required)}</small></span></label></div>`
  const value = escaped(id)
  const boxes = channels.map(
    (channel) =>
      `<label><input type="checkbox" name="channel" value="${value} ${escaped(channel.name)}"${checked(channel.isOn)}> <span>${escaped(texts.channelNames[channel.name] ?? channel.name)}</span></label>`,
  )
  return `<div class="topic"><input type="hidden" name="topic" value="${value}"><label><input type="checkbox" name="on" value="${value}"${checked(isOn)}> <span>${named}</span></label>${
    boxes.length > 0
      ? `<fieldset class="channels"><legend>${withTopic(texts.channels, name)}</legend>${boxes.join('')}</fieldset>`
      : ''
  }</div>`
}

const checked = (isOn: boolean) => (isOn ? ' checked' : '')

/** The name of a topic may be in another direction than the text around it. */
const withTopic = (text: string, topic: string) =>
  escaped(text).replace('{topic}', () => `<bdi>${escaped(topic)}</bdi>`)

function documentOf({ texts, brand, name }: Appearance, title: string, body: string): PageDocument {
  const theme = themeOf(brand)
  const style = styleOf(theme)
  const logo = brand?.logo
  const picture = logo && originOf(logo.src) ? pictureOf(logo, theme) : ''
  const header = picture || (name ? `<bdi>${escaped(name)}</bdi>` : '')
  const html = `<!doctype html>
<html lang="${texts.lang}" dir="${texts.dir}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="${theme.dark ? 'light dark' : 'light'}">
<title>${escaped(name ? `${title} · ${name}` : title)}</title><link rel="icon" href="data:,">
<style>${style}</style></head>
<body>${header ? `<header>${header}</header>` : ''}<main>
${body}
</main></body></html>
`
  return { html, policy: policyOf(style, [logo?.src, logo?.dark]) }
}

/**
 * The origin of a picture as a policy can name it. Undefined for others, whose pictures are not shown: the host of an
 * address may have `;`, `,`, `'` or `*`, which would be further directives and sources.
 */
function originOf(src = ''): string | undefined {
  if (!URL.canParse(src)) return undefined
  const { protocol, host, origin } = new URL(src)
  // A policy cannot name an IPv6 address.
  return /^https?:$/.test(protocol) && isHost(host) && !host.startsWith('[') ? origin : undefined
}

function pictureOf({ src, dark, width, alt }: NonNullable<Brand['logo']>, theme: Theme): string {
  const size = width === undefined ? '' : ` width="${width}"`
  const source =
    dark && originOf(dark) && theme.dark
      ? `<source srcset="${escaped(dark)}" media="(prefers-color-scheme: dark)">`
      : ''
  return `<picture>${source}<img src="${escaped(src)}" alt="${escaped(alt)}"${size}></picture>`
}

/** No script, nothing from elsewhere but the logo, and forms lead to this server only. */
function policyOf(style: string, pictures: readonly (string | undefined)[]): string {
  const digest = createHash('sha256').update(style).digest('base64')
  const origins = pictures.flatMap((src) => originOf(src) ?? [])
  return [
    "default-src 'none'",
    `style-src 'sha256-${digest}'`,
    `img-src ${[...new Set(['data:', ...origins])].join(' ')}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const colors = ({ page, card, border, text, heading, muted, surface, link, button, label, footer }: Palette) =>
  `--page:${page};--card:${card};--border:${border};--text:${text};--heading:${heading};--muted:${muted};--surface:${surface};--link:${link};--button:${button};--label:${label};--footer:${footer}`

const styleOf = ({ light, dark, font, radius }: Theme) => `:root{${colors(light)}}
${dark ? `@media (prefers-color-scheme:dark){:root{${colors(dark)}}}` : ''}
*{box-sizing:border-box}
body{margin:0;padding:1.5rem 1rem;background:var(--page);color:var(--text);font:1rem/1.5 ${font}}
header,main{max-width:36rem;margin:0 auto}
header{padding:0 0 1rem;font-size:1.25rem;font-weight:600;color:var(--footer);overflow-wrap:anywhere}
header img{max-width:100%;height:auto;display:block}
main{background:var(--card);border:1px solid var(--border);border-radius:${radius};padding:1.5rem;overflow-wrap:anywhere}
h1,h2{color:var(--heading);line-height:1.25;margin:0}
h1{font-size:1.5rem;margin-bottom:1rem}
h2{font-size:1.1rem;display:inline}
form{margin:1rem 0}
fieldset{border:0;margin:0 0 1.25rem;padding:0;min-width:0}
legend{padding:0}
.topic{border-top:1px solid var(--border);padding:.5rem 0}
label{display:flex;gap:.75rem;align-items:center;min-height:2.75rem;cursor:pointer}
input[type=checkbox]{width:1.25rem;height:1.25rem;flex:none;accent-color:var(--link)}
small{color:var(--muted);margin-inline-start:.5rem}
.channels{margin:0;padding-inline-start:2rem}
.channels legend{color:var(--muted);font-size:.9rem}
button{font:inherit;min-height:2.75rem;padding:.5rem 1.25rem;border:1px solid var(--text);border-radius:${radius};background:transparent;color:var(--text);cursor:pointer;max-width:100%}
button.main{background:var(--button);color:var(--label);border-color:var(--button)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.notice{background:var(--surface);color:var(--text);border:1px solid var(--border);border-radius:${radius};padding:.75rem 1rem;margin-bottom:1.25rem}
.notice p,.notice form{margin:.25rem 0}
@media (max-width:30rem){body{padding:1rem .5rem}main{padding:1rem}button{width:100%}}`
