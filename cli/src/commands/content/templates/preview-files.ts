/** The files of a preview: a page with all of it, and the content of each channel on its own. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ChannelPreview, NotificationPreview } from '@postrider/client'
import { Failure } from '../../../failure.ts'
import { visibleParts } from '../../../rendered-text.ts'
import { type PreviewCaption, previewPage } from './preview-page.ts'

/** By name, the page first. Two providers of one channel have a file each. */
export function previewFiles(preview: NotificationPreview, caption: PreviewCaption): Map<string, string> {
  const files = new Map([['index.html', previewPage(preview, caption)]])
  for (const result of preview.results) {
    const stem = stemOf(result, preview.results)
    if (result.content.html !== '') files.set(`${stem}.html`, result.content.html)
    files.set(`${stem}.txt`, textOf(result))
  }
  return files
}

function stemOf({ channel, provider }: ChannelPreview, results: readonly ChannelPreview[]): string {
  const isAlone = results.filter((other) => other.channel === channel).length === 1
  return isAlone || provider === undefined ? channel : `${channel}-${provider}`
}

function textOf({ channel, content }: ChannelPreview): string {
  const { heading, text } = visibleParts(channel, content)
  return `${[heading, text].filter(Boolean).join('\n\n').trimEnd()}\n`
}

/** Makes the folder; other files in it stay. Gives their paths. */
export async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<string[]> {
  try {
    await mkdir(folder, { recursive: true })
    const paths: string[] = []
    for (const [name, text] of files) {
      const path = join(resolve(folder), name)
      await writeFile(path, text)
      paths.push(path)
    }
    return paths
  } catch (cause) {
    throw new Failure(`The preview cannot be written to ${folder}: ${(cause as Error).message}`, { cause })
  }
}
