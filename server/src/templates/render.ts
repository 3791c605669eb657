/** The content of one message from a template. Pure and synchronous: the same input gives the same content. */
import { budgetOf } from '../base/budget.ts'
import { type Finding, hasRoom, shortened } from '../base/finding.ts'
import { isObject } from '../base/json/json.ts'
import { closestLocale, languageTag } from '../base/locale.ts'
import { copyWith } from '../base/perf/copy-with.ts'
import { quoted } from '../base/quote.ts'
import type { Content, ContentElement } from '../base/rendered-content.ts'
import { type DocumentWork, newDocument } from './compile-bounds.ts'
import { compilerOf, joined, translated, underControl } from './compile-program.ts'
import { rulesOf } from './dialect.ts'
import { type Node, stringOf } from './element.ts'
import { type Escape, header, html, plain } from './escape.ts'
import { RenderFailed } from './failure.ts'
import { footerOps, mail } from './mail/mail.ts'
import { markup } from './markup.ts'
import { type Line, type Op, type Program, type RenderState, type Run, run, spend } from './program.ts'
import { withBrandSnippets } from './snippets.ts'
import { type Brand, FINDINGS_MAX, type RenderOptions, type Template } from './template.ts'
import { markedUp, plainText } from './text.ts'
import { missingTranslation } from './translations/catalog.ts'
import { leftOutAddress } from './unfollowable.ts'

/** Compiled programs kept for one template, one for each locale and brand; beyond it they are compiled again. */
const PROGRAMS_MAX = 64

/** Throws `RenderFailed`, which names the element. */
export function render(template: Template, options: RenderOptions): Content {
  const work: RenderState = { budget: options.budget ?? budgetOf(), at: '', zones: new Set() }
  try {
    return contentOf(template, options, work)
  } catch (error) {
    if (!(error instanceof RenderFailed) || work.at === '') throw error
    throw new RenderFailed(`${work.at}: ${error.message}`, { code: error.code, cause: error })
  }
}

function contentOf(template: Template, options: RenderOptions, work: RenderState): Content {
  const { channel, provider, dialect, context } = options
  const state: Run = {
    work,
    data: context.data,
    roots: context,
    frame: undefined,
    channel,
    provider,
    onMissing: options.onMissing ?? 'keep',
    refs: {},
    turns: 0,
    size: 0,
    lines: [],
    actions: [],
    preview: '',
    emitter: undefined,
    ...(options.catalogs && { translator: { catalogs: options.catalogs, missing: new Set<string>() } }),
  }
  const locale = localeOf(template, options.locale)
  const { brand } = options
  // Words without a mention of the brand are the same in every brand.
  const namedBrand = template.namesBrand ? brand : undefined
  const branch = branchOf(template, options)
  const nodes = branch ? translated(branch, locale).children : template.nodes
  if (branch?.control && run(underControl(branch, ['x']), state) === '')
    throw new RenderFailed(`The ${channel} element is switched off by its own condition`)
  const variant = `${branch ? template.nodes.indexOf(branch) : ''}|${locale}`

  const textDialect = dialect === 'html' ? 'plain' : dialect
  const words: Words = { nodes, locale, brand: namedBrand }
  const title = run(
    once(template, `title|${textDialect}|${variant}`, namedBrand, () =>
      metaOf('title', words, rulesOf(textDialect).text),
    ),
    state,
  )
  const email = channel === 'email'
  const textOf = (of: typeof textDialect) =>
    once(template, `text|${of}|${email}|${variant}`, namedBrand, (document) =>
      joined(compilerOf({ dialect: of, locale, mail: email, brand: namedBrand, document }).children(nodes)),
    )
  const blocks = linesOf(textOf(textDialect), state)
  const { actions } = state
  const body = bodyOf(textDialect === 'plain' ? blocks : linesOf(textOf('plain'), restarted(state)), channel)
  const content: Content = {
    subject: email ? title : '',
    title,
    html: '',
    text: joinLines(blocks),
    body,
    blocks: blocks.map(({ type, text }) => ({ type, text })),
    actions,
    ...(textDialect !== 'plain' && { elements: blocks.map(elementOf) }),
  }
  if (dialect === 'html') {
    content.html = run(mailProgram(template, words, variant, options), mailState(state, blocks, brand))
    content.text = joinTexts(content.text, brand ? run(footerText(brand), restarted(state)).trim() : '')
  }
  if (branch) applyRaw(content, branch, restarted(state), options)
  return withFindings(content, state)
}

function withFindings(content: Content, { work, translator, onMissing }: Run): Content {
  const untranslated = translator?.missing
  if (
    work.missing ||
    work.missingLists ||
    work.emptyInProfile ||
    work.leftOut ||
    (untranslated && untranslated.size > 0)
  )
    content.findings = findingsOf(work, untranslated, onMissing)
  if (work.missing) content.missing = [...work.missing.keys()]
  return content
}

function findingsOf(
  { missing = new Map(), missingLists = new Map(), emptyInProfile = new Set(), leftOut = new Map() }: RenderState,
  untranslated: ReadonlySet<string> = new Set(),
  onMissing: Run['onMissing'],
): Finding[] {
  const consequenceOf = (variable: string) =>
    onMissing === 'empty' ? 'it is left out' : `the recipient reads ${variable}`
  const ofVariables = [...missing].map(
    ([source, at]): Finding => ({
      code: 'variable_missing',
      text: `${at === '' ? '' : `${at}: `}${quoted(source)} has no value: ${consequenceOf(quoted(source))}.`,
    }),
  )
  const ofLists = [...missingLists].map(
    ([source, at]): Finding => ({
      code: 'variable_missing',
      text: `${at}.loop: ${quoted(source)} has no value: the element is left out.`,
    }),
  )
  const ofTexts = [...untranslated].map(
    (text): Finding => ({ code: 'translation_missing', text: missingTranslation(text) }),
  )
  const ofProfile = [...emptyInProfile].map(
    (source): Finding => ({
      code: 'variable_empty',
      text: `${quoted(source)} is empty in the profile: it is left out.`,
    }),
  )
  const ofAddresses = [...leftOut].map(
    ([url, at]): Finding => ({
      code: 'content_altered',
      text: leftOutAddress(url, at),
    }),
  )
  return [...shortened([...ofVariables, ...ofLists, ...ofTexts, ...ofProfile, ...ofAddresses], FINDINGS_MAX)]
}

/** The part of a content that a message shows. */
interface Words {
  nodes: readonly Node[]
  locale: string
  /** Undefined where nothing mentions the brand. */
  brand: Brand | undefined
}

function mailProgram(template: Template, words: Words, variant: string, { locale: requested, brand }: RenderOptions) {
  const { nodes, locale } = words
  // A text that is translated, but not into this locale, is in the language of the brand's texts.
  const lang = langOf(template.locales.size > 0 ? locale : requested) || langOf(brand?.locale)
  return once(template, `mail|${lang}|${variant}`, brand, (document) => {
    const preheader = hasPreheader(words) ? metaOf('preheader', words, html) : undefined
    return mail(nodes, metaOf('title', words, html), { locale, lang, brand, preheader, document })
  })
}

function mailState(state: Run, blocks: readonly Line[], brand: Brand | undefined): Run {
  // Without a logo the first texts are what inboxes find first.
  return copyWith(restarted(state), { preview: brand?.logo ? html(previewOf(blocks)) : '' })
}

/** The channels named by channel elements, in their order; undefined when there is something for every channel. */
export function renderChannels(template: Template): string[] | undefined {
  const branches = template.nodes.filter(({ element }) => element.type === 'channel')
  const names = new Set(branches.map(({ fields }) => String(fields.channel)))
  return names.size === 0 || names.has('default') ? undefined : [...names]
}

/** Compiled with a brand without a key, it is not kept. */
function once(
  template: Template,
  name: string,
  brand: Brand | undefined,
  make: (document: DocumentWork) => Program,
): Program {
  const { programs } = template
  if (brand && brand.key === undefined) return compileDocument(template, make)
  const key = brand ? `${name}|${brand.key}` : name
  const cachedProgram = programs.get(key)
  if (cachedProgram) return cachedProgram
  if (programs.size >= PROGRAMS_MAX) programs.clear()
  const program = compileDocument(template, make)
  programs.set(key, program)
  return program
}

function compileDocument({ findings }: Template, make: (document: DocumentWork) => Program): Program {
  const document = newDocument()
  const program = make(document)
  for (const at of document.unread) {
    const text = `${at}: its Markdown takes more work than a document may; it is shown as it was written.`
    if (hasRoom(findings, 'content_altered', FINDINGS_MAX) && !findings.some((finding) => finding.text === text))
      findings.push({ code: 'content_altered', text })
  }
  return program
}

/** Each document has its own bounds and sees the elements from the first one on. */
function restarted(state: Run): Run {
  return copyWith(state, { frame: undefined, refs: {}, turns: 0, size: 0, lines: [], actions: [], emitter: undefined })
}

function linesOf(program: Program, state: Run): Line[] {
  state.lines = []
  run(program, state)
  return state.lines
}

const joinTexts = (above: string, below: string) => [above, below].filter((text) => text !== '').join('\n\n')

const footers = new WeakMap<Brand, Program>()

/** The footer for readers without HTML. */
function footerText(brand: Brand): Program {
  const cachedFooter = footers.get(brand)
  if (cachedFooter) return cachedFooter
  const footer = joined(footerOps(brand, compilerOf({ dialect: 'plain', locale: '', mail: true }), '\n'))
  footers.set(brand, footer)
  return footer
}

const elementOf = ({ element, text, tight }: Line): ContentElement => element ?? { type: 'text', text, tight }

function joinLines(lines: readonly Line[]): string {
  let text = ''
  for (const line of lines) text += `${text === '' ? '' : line.tight ? '\n' : '\n\n'}${line.text}`
  return text
}

/** A short text has no pictures and rules; links are kept where there are no buttons. */
function bodyOf(lines: readonly Line[], channel: string): string {
  const left = channel === 'push' || channel === 'inbox' ? ['image', 'divider', 'action'] : ['image', 'divider']
  return joinLines(lines.filter(({ type }) => !left.includes(type)))
}

function localeOf(template: Template, requested: string | undefined): string {
  return template.locales.size === 0 ? '' : (closestLocale(template.locales, requested) ?? '')
}

/** For screen readers: a name of a language as BCP 47 writes it; empty when it is not known. */
const langOf = (locale = '') => {
  const lang = languageTag(locale)
  return /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/.test(lang) ? lang : ''
}

/** The element of the provider, else of the channel, else the default one. */
function branchOf(template: Template, { channel, provider }: RenderOptions): Node | undefined {
  const branches = template.nodes.filter(({ element }) => element.type === 'channel')
  if (branches.length === 0) return undefined
  const named = (name: string | undefined) =>
    branches.find(({ fields }) => fields.channel === name && (!fields.provider || fields.provider === provider))
  const ofProvider = branches.find(({ fields }) => provider !== undefined && fields.provider === provider)
  const branch = ofProvider ?? named(provider) ?? named(channel) ?? named('default')
  if (!branch) throw new RenderFailed(`The content says nothing for the channel ${channel}`)
  return branch
}

/** More than inboxes show after the subject. */
const PREVIEW_CHARACTERS = 140

/** Addresses behind their texts are left out. */
function previewOf(blocks: readonly Line[]): string {
  let text = ''
  for (const block of blocks) {
    if (text.length >= PREVIEW_CHARACTERS) break
    if (block.type === 'text' || block.type === 'quote' || block.type === 'list') text += ` ${block.text}`
  }
  const words = text.slice(0, 4 * PREVIEW_CHARACTERS).replace(/ \((?:https?:|mailto:|tel:|sms:)[^\s)]*\)/g, '')
  return words.replace(/\s+/g, ' ').trim().slice(0, PREVIEW_CHARACTERS)
}

const hasPreheader = ({ nodes, locale }: Words) =>
  nodes.some((node) => node.element.type === 'meta' && stringOf(translated(node, locale).fields.preheader) !== '')

/** A field of the first `meta` in which it has words, in one line. */
function metaOf(field: 'title' | 'preheader', { nodes, locale, brand }: Words, text: Escape): Program {
  const sink = Object.assign((value: string) => text(header(value)), text)
  const metas = nodes.filter(({ element }) => element.type === 'meta')
  const body = metas.flatMap((source): Op[] => {
    const node = withBrandSnippets(translated(source, locale), brand)
    return underControl(node, [{ op: 'emit', type: 'meta', body: plainText(stringOf(node.fields[field]), sink) }])
  })
  return [{ op: 'collect', body, join: (lines) => lines[0]?.text ?? '' }]
}

/** Keys whose values a program reads: an escape for readers would change them. */
const FOR_PROGRAMS = /(?:url|uri|href|src|image|icon|id)$/i

function applyRaw(content: Content, branch: Node, state: Run, options: RenderOptions): void {
  const { raw } = withBrandSnippets(branch, options.brand).fields
  if (!isObject(raw)) return
  state.work.at = `${branch.at}.raw`
  const rules = rulesOf(options.dialect === 'html' ? 'plain' : options.dialect)
  const fill = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') {
      // It is read anew for each message.
      spend(state.work, 1, value.length)
      if (key === 'html') return run(markup(value), state)
      const sink = key === 'subject' || key === 'title' ? header : FOR_PROGRAMS.test(key) ? plain : rules.text
      return run(markedUp(value, sink), state)
    }
    if (Array.isArray(value)) return value.map((item) => fill(item, key))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, name)]))
  }
  const filled = fill(raw, '') as Record<string, unknown>
  content.raw = filled
  const { subject, title, html: document, text } = filled
  if (typeof subject === 'string') content.subject = content.title = subject
  if (typeof title === 'string') content.title = title
  if (typeof document === 'string') content.html = document
  if (typeof text === 'string') {
    content.text = content.body = text
    delete content.elements
  }
}
