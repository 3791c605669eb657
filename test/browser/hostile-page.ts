/** A page of the dashboard that is watched for everything that text does not do: scripts, requests, dialogs, attributes. */
import type { BrowserContext, Page, Request } from 'playwright-core'
import { HOSTILE_HOST, hostileStrings } from './hostile-strings.ts'

const PHONE_WIDTH = 390
/** Higher than any phone: hundreds of rows in few steps. */
export const TALL_PHONE = { width: PHONE_WIDTH, height: 3_000 }
const STEP_PX = 2_600
const STEPS_MAX = 40
const TIMEOUT_MS = 30_000
const CALLING_MS_MAX = 5_000
/** Lists shorten a long string to about this. */
const SHOWN_CHARACTERS = 60

const REFUSED = /status of 4(?:00|04|22)/
/** Calls by which a page says what is wrong with its content. */
const CHECKS = /\/(?:brands\/preview|simulate|inspect)/

export interface WatchedPage {
  page: Page
  /** Found at the address that is open. */
  problems: Set<string>
  /** Strings that were to be read in the page, by their index, since it was opened. */
  seen: Set<number>
  /** The first address by a request, later ones within the page. */
  open(address: string): Promise<void>
  /** Scrolls to the end of the list. */
  readAll(): Promise<void>
  /** Reads without scrolling. */
  read(): Promise<void>
}

export async function watchedPage(
  context: BrowserContext,
  origin: string,
  { canBeRefused = false } = {},
): Promise<WatchedPage> {
  const page = await context.newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  const problems = new Set<string>()
  const seen = new Set<number>()
  let callsInFlight = 0
  let isOpen = false
  // Called from every frame, the sandboxed ones of mails included.
  await page.exposeFunction('hostile', () => void problems.add('a script ran'))
  await page.exposeFunction('violation', (directive: string) => void problems.add(`the policy refused ${directive}`))
  await page.addInitScript(
    `if (window === top) addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violation(violatedDirective + ' ' + blockedURI))`,
  )
  page.on('dialog', (dialog) => {
    problems.add(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => problems.add(String(error)))
  page.on('console', (message) => {
    // The policy of the frame refuses what a mail brings along: that is its purpose.
    const isOfMail =
      /mail-frame/.test(message.location().url) || /sandboxed|about:srcdoc|mail-frame/.test(message.text())
    const isRefused = canBeRefused
      ? REFUSED.test(message.text())
      : REFUSED.test(message.text()) && CHECKS.test(message.location().url)
    if (message.type() === 'error' && !isOfMail && !isRefused)
      problems.add(`${message.text()} ${message.location().url}`)
  })
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame() && !frame.url().startsWith(origin)) problems.add(`left for ${frame.url()}`)
  })
  const isCall = (type: string) => type === 'fetch' || type === 'script' || type === 'stylesheet'
  page.on('request', (request) => {
    if (isCall(request.resourceType())) callsInFlight += 1
    if (new URL(request.url()).hostname.endsWith(HOSTILE_HOST) && request.frame() === page.mainFrame())
      problems.add(`requested ${request.url()}`)
  })
  const ended = (request: Request) => {
    if (isCall(request.resourceType())) callsInFlight -= 1
  }
  page.on('requestfailed', ended)
  page.on('requestfinished', (request) => {
    ended(request)
    if (new URL(request.url()).hostname.endsWith(HOSTILE_HOST)) problems.add(`loaded ${request.url()}`)
  })

  /** Drawn, and nothing is being loaded, unless the page reads its state again and again. */
  async function drawn(): Promise<void> {
    const start = Date.now()
    for (let quietFrames = 0; quietFrames < 2; ) {
      const isBusy = await page.evaluate<boolean>(
        `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
          resolve(document.querySelector('main h1') === null || document.querySelector('main [aria-busy="true"]') !== null))))`,
      )
      const isCalling = callsInFlight > 0 && Date.now() - start < CALLING_MS_MAX
      quietFrames = isBusy || isCalling ? 0 : quietFrames + 1
      if (Date.now() - start > TIMEOUT_MS) throw new Error(`${page.url()} is not drawn within ${TIMEOUT_MS} ms`)
    }
  }

  async function read(): Promise<void> {
    const { text, width, wide, harmful, headings } = await page.evaluate<Reading>(readingScript)
    if (width > PHONE_WIDTH) problems.add(`is ${width} px wide: ${wide}`)
    for (const element of harmful) problems.add(`holds ${element}`)
    if (headings !== 1) problems.add(`has ${headings} headings`)
    if (!canBeRefused && text.includes('This could not be loaded')) problems.add('could not be loaded')
    const shown = signs(text)
    for (const [index, parts] of fingerprints.entries())
      if (!seen.has(index) && parts.some((part) => shown.includes(part))) seen.add(index)
  }

  return {
    ...{ page, problems, seen, read },
    async open(address) {
      if (isOpen) await page.evaluate(openWithin(`/app${address}`))
      else {
        await page.goto(`${origin}/app${address}`)
      }
      isOpen = true
      await drawn()
    },
    async readAll() {
      for (let steps = 0; steps < STEPS_MAX; steps += 1) {
        await read()
        if (!(await page.evaluate<boolean>(nextScreen))) return
      }
    },
  }
}

/** The same as a click on a link; the page is another one when it is drawn. */
const openWithin = (path: string) => `new Promise((resolve) => {
  const stop = self.__TSR_ROUTER__.subscribe('onRendered', () => { stop(); resolve() })
  void self.__TSR_ROUTER__.navigate({ href: ${JSON.stringify(path)} })
})`

/** False at the end of the page. The foot of a list leaves the screen when its next page is there. */
const nextScreen = `new Promise((resolve) => {
  const before = scrollY
  scrollBy(0, ${STEP_PX})
  const isLoading = (button) => /^Load(ing)? more$/.test(button.textContent) && button.getBoundingClientRect().top < innerHeight
  const look = () =>
    [...document.querySelectorAll('main button')].some(isLoading) ? requestAnimationFrame(look) : resolve(scrollY > before)
  requestAnimationFrame(() => requestAnimationFrame(look))
})`

interface Reading {
  /** Texts, fields and tooltips. */
  text: string
  width: number
  wide: string
  /** Elements that run, load or lead to something. */
  harmful: string[]
  headings: number
}

const readingScript = `(() => {
  const main = document.querySelector('main')
  const harmful = []
  const words = [document.body.textContent]
  for (const element of document.querySelectorAll('body *')) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith('on')) harmful.push(element.tagName + ' ' + name)
      if (name === 'title' || name === 'aria-label' || name === 'placeholder') words.push(value)
    }
    if (element.value) words.push(element.value)
    if (element.href && !/^(https?|mailto|tel|blob):/.test(element.href.baseVal ?? element.href)) harmful.push(element.tagName + ' to ' + element.href)
    if (element.tagName === 'A' && element.hostname.endsWith('${HOSTILE_HOST}') && !/noopener|noreferrer/.test(element.rel)) harmful.push('a link to ' + element.href)
    if (/^(OBJECT|EMBED|BASE|META|AUDIO|VIDEO|MARQUEE|PLAINTEXT|XMP)$/.test(element.tagName)) harmful.push(element.tagName)
    if (element.tagName === 'IFRAME' && element.sandbox.contains('allow-same-origin')) harmful.push('IFRAME with the origin of the page')
    if (element.tagName === 'SCRIPT' && !element.src.startsWith(location.origin)) harmful.push('SCRIPT')
  }
  const width = document.documentElement.scrollWidth
  const isWide = (element) => element.getBoundingClientRect().right > ${PHONE_WIDTH} + 1
  // Text can be wider than the box of its element.
  const overflows = (element) => element.scrollWidth > element.clientWidth && getComputedStyle(element).overflowX === 'visible'
  const wide = width <= ${PHONE_WIDTH} ? '' : [...document.querySelectorAll('main *')]
    .filter((element) => (isWide(element) || overflows(element)) && !element.closest('.cm-editor, [class*=ScrollArea]'))
    .sort((a, b) => a.contains(b) ? 1 : b.contains(a) ? -1 : 0)
    .slice(0, 3).map((element) => element.tagName + '.' + element.className + ' ' + element.textContent.slice(0, 60)).join(' | ')
  return { text: words.join('\\n'), width, wide, harmful: [...new Set(harmful)], headings: main ? main.querySelectorAll('h1').length : 0 }
})()`

/** The visible signs: what is left when a page has trimmed, folded and escaped a text. */
const signs = (text: string) => text.replaceAll(/[\s\p{C}\p{Z}\p{M}\\]/gu, '')

/** As text, and as JSON. */
const fingerprints = hostileStrings.map((text) =>
  [text, JSON.stringify(text)].map((form) => signs(form).slice(0, SHOWN_CHARACTERS)).filter((part) => part !== ''),
)
