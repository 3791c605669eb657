/** Full-text search over the guides, the pages of the contract and the operations of the API. The index is made at the first search. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Operation, operations, resourceOf, resources } from '@postrider/contract'
import type MiniSearch from 'minisearch'
import type { SearchResult } from 'minisearch'
import { overloaded } from '../../base/errors.ts'
import { memo } from '../../base/perf/cache.ts'
import { type Guide, readGuides } from './guides.ts'
import { operationAddress, sectionsOf } from './markdown.ts'

export interface SearchHit {
  /** Below the root of the server, with the anchor of the section. */
  path: string
  title: string
  /** The group and the guide. */
  place: string
  /** Method and path of an operation. */
  call?: string
  excerpt: Fragment[]
}

export interface Fragment {
  text: string
  isMatch: boolean
}

interface Entry {
  id: number
  path: string
  title: string
  place: string
  /** Sections of one page: a few of them are enough. */
  page: string
  text: string
  code: string
  /** Method and path of an operation. */
  call?: string
  /** Its beginning, with its line in the index. */
  isGuide: boolean
}

interface Index {
  entries: readonly Entry[]
  engine: MiniSearch<Entry>
}

const RESULTS_MAX = 20
const RESULTS_PER_PAGE_MAX = 3
/** Further words of a query are left out: each costs a walk through the terms of the index. */
const TERMS_MAX = 8
/** Shorter words begin too many others. */
const PREFIX_CHARACTERS_MIN = 4
const FUZZY_CHARACTERS_MIN = 4
/** Edits, by the characters of a word that no section has. */
const FUZZY_SHARE = 0.25
const RELATED_WEIGHT = 0.5
const GENERAL_WEIGHT = 0.3
const NAME_WEIGHT = 3
/** The beginning of a guide comes before a section or an operation that says as much. */
const GUIDE_WEIGHT = 1.3
const ENTRIES_PER_TURN = 20
const EXCERPT_CHARACTERS = 220
const EXCERPT_LEAD_CHARACTERS = 60

/** Searches that wait for their turn: half a second of them at 5 ms each. */
const WAITING_MAX = 100

let index: Promise<Index> | undefined
let lastTurn: Promise<void> = Promise.resolve()
let waiting = 0

/** Anyone may search: each search has a turn of the event loop of its own, so that other calls run in between. */
async function ownTurn(): Promise<void> {
  if (waiting === WAITING_MAX) throw overloaded('Too many searches at once')
  waiting += 1
  lastTurn = lastTurn.then(() => nextTurn())
  await lastTurn
  waiting -= 1
}

/** The best results first; none for a query without a word. */
export async function search(query: string): Promise<SearchHit[]> {
  const terms = [...new Set(tokensOf(query).flatMap((word) => termOf(word) ?? []))].slice(0, TERMS_MAX)
  if (terms.length === 0) return []
  index ??= makeIndex().catch((error) => {
    index = undefined
    throw error
  })
  const { entries, engine } = await index
  await ownTurn()
  const perPage = new Map<string, number>()
  const results: SearchHit[] = []
  for (const { id, terms: matched } of ranked(engine, terms)) {
    const entry = entries[id]
    if (!entry || results.length === RESULTS_MAX) break
    const earlier = perPage.get(entry.page) ?? 0
    perPage.set(entry.page, earlier + 1)
    if (earlier < RESULTS_PER_PAGE_MAX) results.push(resultOf(entry, new Set(matched)))
  }
  return results
}

/** A section with all terms of the query comes before one that repeats a single one. */
function ranked(engine: Index['engine'], terms: readonly string[]): SearchResult[] {
  const all = [...terms, ...terms.flatMap((term) => relatedTerms.get(term) ?? [])].join(' ')
  const weights = weightsOf(terms)
  const boostTerm = (term: string) => weights.get(term) ?? RELATED_WEIGHT
  const exact = engine.search(all, { boostTerm })
  const matched = new Set(exact.flatMap(({ queryTerms }) => queryTerms))
  const isMissing = (term: string) => !matched.has(term)
  const prefix = (term: string) => term.length >= PREFIX_CHARACTERS_MIN && isMissing(term)
  const fuzzy = (term: string) => (term.length >= FUZZY_CHARACTERS_MIN && isMissing(term) ? FUZZY_SHARE : false)
  const results = terms.some(isMissing) ? engine.search(all, { boostTerm, prefix, fuzzy }) : exact
  const total = sumOf(terms.map(boostTerm))
  const weightOf = ({ score, queryTerms }: SearchResult) => (score * sumOf(queryTerms.map(boostTerm))) / total
  return results.sort((left, right) => weightOf(right) - weightOf(left))
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

/** A name counts as a whole, its words share the weight of a single one; verbs of any task say little about the subject. */
function weightsOf(terms: readonly string[]): Map<string, number> {
  const weights = new Map(terms.map((term) => [term, GENERAL_TERMS.has(term) ? GENERAL_WEIGHT : 1]))
  for (const name of terms) {
    const words = name.match(WORD) ?? []
    if (words.length === 1) continue
    weights.set(name, NAME_WEIGHT)
    for (const word of words) weights.set(termOf(word) ?? word, 1 / words.length)
  }
  return weights
}

/** A few sections at a time, so that other calls are answered in between. */
async function makeIndex(): Promise<Index> {
  const { default: Engine } = await import('minisearch')
  const entries: Entry[] = []
  const engine = new Engine<Entry>({
    fields: ['title', 'place', 'call', 'text', 'code'],
    tokenize: tokensOf,
    processTerm: termOf,
    searchOptions: {
      boost: { title: 4, call: 2, place: 1.5, code: 0.5 },
      // A query comes as terms.
      tokenize: (terms) => terms.split(' '),
      processTerm: (term) => term,
      maxFuzzy: 2,
      boostDocument: (id) => (entries[id]?.isGuide ? GUIDE_WEIGHT : 1),
      weights: { prefix: 0.4, fuzzy: 0.2 },
    },
  })
  const add = async (parts: readonly Omit<Entry, 'id'>[]) => {
    for (const part of parts) {
      const entry = { ...part, id: entries.length }
      entries.push(entry)
      engine.add(entry)
      if (entries.length % ENTRIES_PER_TURN === 0) await nextTurn()
    }
  }
  for (const guide of readGuides()) {
    await add(entriesOfGuide(guide))
    await add(entriesOfVariables(guide))
    await nextTurn()
  }
  await add(operations.map(entryOfOperation))
  return { entries, engine }
}

/** The first section is the guide itself, with its line in the index. */
const entriesOfGuide = ({ name, title, summary, group, text }: Guide): Omit<Entry, 'id'>[] =>
  sectionsOf(text).map((section, position) => ({
    path: position === 0 ? `/docs/${name}` : `/docs/${name}#${section.heading.id}`,
    title: section.heading.text,
    place: position === 0 ? group : `${group} › ${title}`,
    page: name,
    text: position === 0 && summary ? `${capitalized(summary)}. ${section.text}` : section.text,
    code: section.code,
    isGuide: position === 0,
  }))

/** Environment variables in tables: each is searched by its words, as a section is. */
const entriesOfVariables = ({ name, title, group, text }: Guide): Omit<Entry, 'id'>[] =>
  [...text.matchAll(/^\| `(POSTRIDER_\w+)` \|.*\| (.+) \|$/gm)].map(([, variable = '', meaning = '']) => ({
    ...{ path: `/docs/${name}`, title: variable, place: `${group} › ${title}`, page: name },
    ...{ text: meaning.replaceAll('`', ''), code: '', isGuide: false },
  }))

const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const resourceTitles = new Map(resources.map(({ name, title }) => [name, title]))

const entryOfOperation = (operation: Operation): Omit<Entry, 'id'> => ({
  path: operationAddress(operation),
  title: operation.summary,
  place: `API reference › ${resourceTitles.get(resourceOf(operation.id)) ?? ''}`,
  page: operation.id,
  text: (operation.description ?? '').replaceAll('`', ''),
  code: '',
  isGuide: false,
  call: `${operation.method} ${operation.path}`,
})

const resultOf = ({ path, title, place, call, text }: Entry, matched: ReadonlySet<string>): SearchHit => ({
  ...{ path, title, place, ...(call && { call }) },
  excerpt: excerptOf(text, matched),
})

const WORD = /[\p{L}\p{N}]+/gu
const NAME = /[\p{L}\p{N}]+(?:[._-][\p{L}\p{N}]+)+/gu

/** A name such as `message.dead_lettered` is found by its words, and as a whole before all else. */
const tokensOf = (text: string): string[] => [...(text.match(NAME) ?? []), ...(text.match(WORD) ?? [])]

/** They say nothing about the subject. "why" does: it leads to what explains. */
const STOP_WORDS = new Set(
  'a an and are as at be by can do does for from how i if in is it its me my of on or that the their them there this to was what when which will with you your'.split(
    ' ',
  ),
)

/** A search takes 1.8 ms with it, and 3.1 ms without; the documents have some 9,000 words. */
const TERMS_KEPT_MAX = 20_000

/** The stem of an English word, so that "unsubscribing" and "unsubscribe" are one term; null for one without a subject. */
const termOf = memo(TERMS_KEPT_MAX, (word): string | null => {
  const lower = word.toLowerCase()
  if (STOP_WORDS.has(lower)) return null
  const stem = lower.replace(/ies$/, 'y').replace(/(?<=.{3})(?:ing|ed|es|(?<!s)s|e)$/, '')
  return stem.replace(/([bdgmnprt])\1$/, '$1')
})

/** Verbs of any task. */
const GENERAL_TERMS = new Set(
  'change set get make use want need find see show'.split(' ').flatMap((word) => termOf(word) ?? []),
)

/** Words that readers bring along, and those of the documents for the same. */
const relatedTerms = new Map(
  Object.entries({
    ...{ duplicate: 'idempotency twice', dedupe: 'idempotency', gdpr: 'erasure erase', delete: 'erase' },
    ...{ schedule: 'delay until time', quiet: 'opening time until', cron: 'recurrence', throttle: 'limit rate' },
    ...{ stop: 'cancel', cancel: 'stop', abort: 'cancel stop', optout: 'unsubscribe', opt: 'unsubscribe' },
    ...{ subscriber: 'user recipient', workflow: 'automation', trigger: 'send', i18n: 'translation locale' },
    ...{ monitor: 'metrics health', docker: 'container', install: 'npm package', restore: 'backup' },
    ...{ certificate: 'tls', tls: 'certificate' },
  }).map(([word, related]) => [termOf(word) ?? word, related.split(' ').flatMap((other) => termOf(other) ?? [])]),
)

/** The passage with the most terms, cut between words. */
function excerptOf(text: string, matched: ReadonlySet<string>): Fragment[] {
  const isMatch = (word: string) => matched.has(termOf(word) ?? '')
  const matches = [...text.matchAll(WORD)].filter(([word]) => isMatch(word))
  const start = cutBefore(text, bestStart(matches) - EXCERPT_LEAD_CHARACTERS)
  const end = cutBefore(text, start + EXCERPT_CHARACTERS)
  const passage = text.slice(start, start + EXCERPT_CHARACTERS >= text.length ? text.length : end).trim()
  const fragments = passage
    .split(/([\p{L}\p{N}]+)/u)
    .map((part) => ({ text: part, isMatch: isMatch(part) }))
    .filter(({ text: part }) => part !== '')
  const ellipsis = { text: '…', isMatch: false }
  return [...(start > 0 ? [ellipsis] : []), ...fragments, ...(end < text.trimEnd().length ? [ellipsis] : [])]
}

/** Where most different words follow within an excerpt. */
function bestStart(matches: readonly RegExpMatchArray[]): number {
  let [best, most] = [0, 0]
  matches.forEach(({ index: at = 0 }, position) => {
    const words = new Set<string>()
    for (const { 0: word, index: next = 0 } of matches.slice(position, position + TERMS_MAX))
      if (next - at < EXCERPT_CHARACTERS - EXCERPT_LEAD_CHARACTERS) words.add(word.toLowerCase())
    if (words.size > most) [best, most] = [at, words.size]
  })
  return best
}

/** The beginning of the word at a position. */
function cutBefore(text: string, at: number): number {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  return text.lastIndexOf(' ', at) + 1
}
