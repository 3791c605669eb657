/** A screen with a browser that notes the address it is opened with; a desktop would have one of its own. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../support/until.ts'

export interface FakeBrowser {
  /** For the command. */
  env: Record<string, string>
  /** The address it was opened with, as soon as it is. */
  address(): Promise<string>
}

const DESKTOP = [
  ...['XDG_CURRENT_DESKTOP', 'KDE_FULL_SESSION', 'GNOME_DESKTOP_SESSION_ID', 'DESKTOP_SESSION'],
  ...['DBUS_SESSION_BUS_ADDRESS', 'WSL_DISTRO_NAME', 'SSH_CONNECTION'],
]

/** The output of this process counts as a terminal meanwhile. */
export async function withBrowser(work: (browser: FakeBrowser) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-browser-'))
  const [browser, note] = [join(folder, 'browser'), join(folder, 'address')]
  writeFileSync(browser, `#!/bin/sh\necho "$1" > ${note}.part && mv ${note}.part ${note}\n`, { mode: 0o700 })
  const { isTTY } = process.stdout
  process.stdout.isTTY = true
  try {
    await work({
      env: {
        ...Object.fromEntries(DESKTOP.map((name) => [name, ''])),
        ...{ XDG_DATA_DIRS: '/nowhere', XDG_DATA_HOME: '/nowhere', NO_COLOR: '1', DISPLAY: ':9', BROWSER: browser },
      },
      async address() {
        await until(
          async () => existsSync(note),
          (isThere) => isThere,
        )
        return readFileSync(note, 'utf8').trim()
      },
    })
  } finally {
    process.stdout.isTTY = isTTY
    rmSync(folder, { recursive: true })
  }
}
