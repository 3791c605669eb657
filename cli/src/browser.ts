/** The browser of a person at a screen. */
import { hasScreen } from './config.ts'

/** From a terminal with a screen, not over SSH. */
export const canOpenBrowser = (): boolean => process.stdout.isTTY && hasScreen()

/** The address was printed: a machine without a browser is no failure. */
export async function openBrowser(address: string): Promise<void> {
  const { default: openAddress } = await import('open')
  const browser = await openAddress(address).catch(() => undefined)
  browser?.once('error', () => undefined)
}
