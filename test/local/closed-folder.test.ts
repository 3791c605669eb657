/** A data folder that this user may not enter is refused for that, not as one in use. Root enters every folder. */
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isHeld, makeDataFolder, refuseHeld } from '@postrider/server/internal/database/local/data-folder'
import { expect, test } from 'vitest'

test.runIf(process.getuid?.() !== 0)('a folder that may not be entered is not held by another', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-closed-'))
  await chmod(folder, 0o000)
  await expect(refuseHeld(folder)).resolves.toBeUndefined()
  await expect(isHeld(folder)).resolves.toBe(false)
  expect(() => makeDataFolder(folder)).toThrow('cannot be written')
})
