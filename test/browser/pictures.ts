/** Pictures of a page during a test, to be looked at: in both widths and schemes, with `POSTRIDER_TEST_PICTURES` as their folder. */
import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'

const PHONE = { width: 400, height: 850 }

export async function takePictures(page: Page, name: string): Promise<void> {
  const folder = process.env.POSTRIDER_TEST_PICTURES
  const wide = page.viewportSize()
  if (!folder || !wide) return
  mkdirSync(folder, { recursive: true })
  for (const size of [wide, PHONE])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${folder}/${name}-${size.width}-${colorScheme}.png`, fullPage: true })
    }
  await page.setViewportSize(wide)
  await page.emulateMedia({ colorScheme: 'light' })
}
