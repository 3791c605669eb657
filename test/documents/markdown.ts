/** The documents of the checkout, as far as tests look into them: files, links, code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

// The same from the source and from the compiled file.
const here = fileURLToPath(new URL('.', import.meta.url))
export const root = here.replace(/test\/(?:dist\/)?documents\/$/, '')

const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', 'test-results', 'data'])

export interface Document {
  /** From the root. */
  path: string
  text: string
}

export function readDocuments(): Document[] {
  const paths: string[] = []
  const walk = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) continue
      if (entry.isDirectory()) walk(path)
      else if (entry.name.endsWith('.md')) paths.push(path)
    }
  }
  walk(root)
  return paths.sort().map((path) => ({ path: relative(root, path), text: readFileSync(path, 'utf8') }))
}

export interface Block {
  language: string
  text: string
  /** Nothing stands between it and the block before. */
  follows: boolean
}

export function codeBlocks(text: string): Block[] {
  let end = 0
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ({ 0: whole, 1: language = '', 2: body = '', index }) => {
      const follows = text.slice(end, index).trim() === ''
      end = index + whole.length
      return { language, text: body, follows }
    },
  )
}

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '`')

/** Targets of links that stay in the checkout. */
export function relativeLinks(text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/i.test(target))
}

/** The possible targets behind `#`: headings as GitHub writes them, and anchors of their own. */
export function anchors(text: string): Set<string> {
  const headings = [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)])
}

export interface ShownCommand {
  /** After `postrider`, up to the first option or argument that is no plain word. */
  words: string[]
  /** `--data` and `-d`, without their values. */
  options: string[]
}

/** Wherever a document shows one: in code between backticks and in shell blocks. */
export function shownCommands(text: string): ShownCommand[] {
  const inline = [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
  const blocks = codeBlocks(text)
    .filter(({ language }) => language === 'sh')
    .map((block) => block.text.replaceAll('\\\n', ' '))
  return [...inline, ...blocks].flatMap((code) =>
    [...code.matchAll(/(?:^|\||\$\(|&&|;)[ \t]*(?:[A-Z_]+=\S* )*postrider((?: [a-z][a-z-]*)+)/gm)].map((match) => ({
      words: (match[1] ?? '').trim().split(' '),
      options: optionsIn(code.slice(match.index + match[0].length)),
    })),
  )
}

/** Options of the command that goes on here: without what is quoted, up to where the next command begins. */
function optionsIn(rest: string): string[] {
  const [words = ''] = rest.replace(/'[^']*'|"(?:\\.|[^"\\])*"|\$\([^)]*\)/g, '').split(/[\n|;&)"']| #| -- /)
  return [...words.matchAll(/(?<=\s)(?:--[a-z][a-z-]*|-[a-zA-Z](?=\s|$))/g)].map(([option]) => option)
}
