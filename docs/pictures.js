/** `npm run pictures`: renders the mails of `guides/pictures/mails.json` and takes their pictures with Chromium, for the guides. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readBrand } from '@postrider/server/internal/templates/brand'
import { compile } from '@postrider/server/internal/templates/compile'
import { render } from '@postrider/server/internal/templates/render'
import { chromium } from 'playwright-core'

const folder = new URL('guides/pictures/', import.meta.url)
const WIDTHS = [700, 400]
const SCHEMES = ['light', 'dark']

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = PLACES.find((path) => existsSync(path))

const read = (name) => readFileSync(new URL(name, folder))
const { settings, snippets } = JSON.parse(read('brand.json'))
const acme = readBrand(settings, snippets, { key: 'acme', name: 'Acme' })

function documentOf({ content, data, locale, brand }) {
  const context = { data, profile: { email: 'ada@example.com' } }
  const options = { channel: 'email', dialect: 'html', context, locale }
  return render(compile(content), { ...options, ...(brand && { brand: acme }) }).html
}

/** Pictures of a mail come from this folder, so that nothing is requested from elsewhere. */
async function answer(route) {
  const file = new URL(new URL(route.request().url()).pathname.slice(1).replace(/\.png$/, '.svg'), folder)
  if (!existsSync(file)) return route.abort()
  await route.fulfill({ contentType: 'image/svg+xml', body: readFileSync(file) })
}

async function pictureOf(browser, html, width, colorScheme) {
  const page = await browser.newPage({ viewport: { width, height: 100 }, colorScheme })
  try {
    await page.route(/^https?:/, answer)
    await page.setContent(html)
    return await page.screenshot({ fullPage: true })
  } finally {
    await page.close()
  }
}

/** All pictures of a mail side by side, at half their size. */
async function sheetOf(browser, pictures) {
  const images = pictures.map(
    ({ png, width }) => `<img width="${width / 2}" src="data:image/png;base64,${png.toString('base64')}">`,
  )
  const html = `<body style="margin:0;padding:12px;background:#d4d4d8;display:inline-flex;gap:12px;align-items:flex-start">${images.join('')}</body>`
  const page = await browser.newPage({ viewport: { width: 1200, height: 100 } })
  try {
    await page.setContent(html)
    return await page.locator('body').screenshot()
  } finally {
    await page.close()
  }
}

if (executablePath === undefined) {
  console.log(`No pictures were made: no browser at ${PLACES.join(', ')}. Install chromium.`)
  process.exit(0)
}
/** A folder that also gets each picture by itself, in full size. */
const [target] = process.argv.slice(2)
if (target) mkdirSync(target, { recursive: true })
// Root has no sandbox.
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath, args })
try {
  for (const mail of JSON.parse(read('mails.json'))) {
    const html = documentOf(mail)
    const pictures = []
    for (const width of WIDTHS)
      for (const scheme of SCHEMES) {
        const png = await pictureOf(browser, html, width, scheme)
        pictures.push({ png, width })
        if (target) writeFileSync(`${target}/${mail.name}-${width}-${scheme}.png`, png)
      }
    const sheet = await sheetOf(browser, pictures)
    writeFileSync(new URL(`${mail.name}.png`, folder), sheet)
    console.log(
      `${mail.name}.png: ${Math.round(sheet.length / 1024)} kB, from ${Math.round(html.length / 1024)} kB of HTML`,
    )
  }
} finally {
  await browser.close()
}
