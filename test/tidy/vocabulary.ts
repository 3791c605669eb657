/** Words that the project does not use, each with the field's word that says the same, and how a sentence begins. */
import { isTest, lex, lineAt, type Source } from './source.ts'

interface Banned {
  words: RegExp
  instead: string
}

/** Words alone and as a part of a name: `told` finds `told`, `Told`, `toldOnce`, `wasTold` and `TOLD_MAX`, not `toldest`. */
function names(words: string, instead: string): Banned {
  const any = (write: (word: string) => string) => `(?:${words.split(' ').map(write).join('|')})`
  const lower = any((word) => word)
  const camel = any((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
  const upper = any((word) => word.replace(/[A-Z]/g, '_$&').toUpperCase())
  const pattern = `(?<![A-Za-z])${lower}(?![a-z])|(?<![A-Z])${camel}(?![a-z])|(?<![A-Za-z])${upper}(?![A-Za-z])`
  return { words: new RegExp(pattern, 'g'), instead }
}

const phrases = (patterns: readonly string[], instead: string): Banned => ({
  words: new RegExp(patterns.join('|'), 'gi'),
  instead,
})

const BANNED: readonly Banned[] = [
  names('nobody somebody everybody', 'the person, process or caller that is meant; no one'),
  names('whoever whomever', 'the caller, node or person that is meant'),
  names('house door doors', 'app, service; HTTP server, listener'),
  names('rehearse rehearsal rehearsed foretell foretelling', 'simulate, simulation, preview'),
  names('weave woven weaving', 'compile, compiled'),
  names('passedOver crowdedOut gaveWay stepAside', 'failedOver, concurrencyLimited, superseded, yieldSlot'),
  names('guilty suspect suspects deaths victim victims', 'poison message, suspected, worker crashes, retry'),
  names('begun underWay', 'started; in progress, in flight'),
  names('wayKey waysOf otherWays', 'candidate, candidateKey'),
  names('moment moments', 'time, timestamp'),
  names('stranger strangers witness witnesses story stories', 'unauthenticated caller, timeline; the plain noun'),
  names('recount recounts', 'recompute'),
  names('announce announces announced announcement announcements', 'webhook event, outbox entry; notify'),
  names('hear hears heard', 'receive, get'),
  names('tells told asks asked', 'says, reports, has; requests, calls, reads'),
  names('wants wanted', 'needs, requires; expected, requested'),
  names('lands landed', 'arrives, is inserted'),
  names('troubled refusal refusals', 'error, validation error, failure, rejection'),
  names('standing circumstances', 'state, context'),
  names('vitals overtaken mustTouch keyTaken spokenBy asThen', 'health, ConflictError, expectRows, dialect, asOf'),
  names('turnoverMap pinAgain pins', 'cellMap; snapshot'),
  phrases(
    [
      String.raw`\b(?:pass(?:es|ed) over|crowd(?:s|ed)? out|g[ai]ves? way|steps? aside|stepped aside)\b`,
      String.raw`\b(?:put away|puts away|under way|go(?:es)? on without|gone since|all is well|not known here)\b`,
      String.raw`\bis meant\?|\bpinned (?:by|with|notification|profile|facts)\b|(?<![.\w])extended\(`,
    ],
    'failed over, superseded; dead-lettered; in progress; keeps running; snapshot; copyWith',
  ),
  names('goneOn goesOn turnedAway beginOne claimHints', 'advanced, mayContinue, throttled, startOne, claimWakeUps'),
  names('heldBack holdBack weigh', 'deferred, defer; weightOf'),
  names(
    'paceMs beginErasure beginErasing writeWords readWords jsonTextFault',
    'intervalMs, startErasure, writeText, jsonTextError',
  ),
  phrases(
    [
      String.raw`\bkept repl(?:y|ies)\b|\bwhat bec(?:ame|omes) of\b|\b(?:every|another) way (?:was|has)\b|\bsocket away\b`,
      String.raw`\bit has come to that\b|\bwhat it may do\b|\b(?:is|are) given away\b|\bwords are ready\b`,
    ],
    'stored reply; result, later status; candidate; release; the plain phrase',
  ),
  phrases(
    [
      'catalogue|(?:behavi|col|fav|hon|neighb)our|licence|offence|cancell(?:ed|ing)|(?:label|model|signal|travel)l(?:ed|ing)',
      String.raw`\b(?:general|initial|normal|optim|organ|recogn|serial|capital|synchron)is(?:e|ing|ation)|analyse`,
    ],
    'American spelling: catalog, color, license, canceled, recognize',
  ),
]

/** Words that a text may have and a name in code may not. */
const BANNED_NAMES: readonly Banned[] = [
  names('fault faults faulty', 'error (ours), validation error (of the caller), failure (of the provider)'),
  names('world worlds', 'peers; the store or the context that it is'),
  names('ask asking', 'call, request; prompt'),
  names('pace paced pacing breathe', 'interval, rate, time budget, yield to the event loop'),
  names('crowded court pointing makers', 'limited; the plain noun'),
  names('inTurn candidateTurn', 'serialized; candidate'),
  names('holding contended', 'in flight; conflict'),
  names('filling hole holes', 'interpolation, missing value'),
  names('pursue drive', 'runUntilBlocked, execute'),
  {
    words: /\b(?!banned)(?:[a-z]\w*Words|words[A-Z]\w*)\b/g,
    instead: 'text, texts; scopes, tokens',
  },
]

/** Words of the dictionary that stay, because the field or the wire has them, or a reader takes them as plain English. */
export const KEPT_WORDS: Readonly<Record<string, string>> = {
  begin: 'plain English; code that starts something says start',
  considered: 'a key of stored JSON and of replies: rows of running installations have it',
  pinned: 'a column and a key of stored JSON: rows of running installations have it; its value is a snapshot',
  job: 'bulk job and background job are nouns of the glossary; a message is a LeasedMessage',
  floor: 'Math.floor, and the least id of a time',
  room: 'free capacity of something bounded',
  works: 'the verb; the module is background',
  way: 'plain English; a route of a message is a candidate',
  question: 'plain English; the input of a decision is a DecisionInput',
  subject: 'the subject of a mail, and of an error',
  once: 'the adverb; the unit of work is withIdempotency',
  keeping: 'plain English; the unit of work is withIdempotency',
  mentions: 'mentions of people in a chat',
  listening: 'the state of a socket',
  addressed: 'refused as a value; as a key it is the name of a field',
  places: 'positions in a text, an order or a list',
  words: 'words of a language; as a part of a name it is text or texts',
  grammar: 'the grammar of a parser',
  turn: 'a turn of the event loop, and the place of a candidate in the order of failover',
  layers: 'the layers of modules',
  fault: 'in a text the party that is at fault; in test/faults, test/fuzz and test/crash fault injection',
  says: 'documents and texts say; code returns, reports, has',
  want: 'persons want',
  die: 'a process dies',
  text: 'plain English; a type of the wire is a string',
}

/**
 * Adjectives and participles that do not say what a value holds. A key may be one (`{ stored: true }`): its object is the
 * noun. A parameter is reported where it is used.
 */
const VALUE = /(?<![\w$#]|(?<!\.\.)\.)(?:addressed|carried|found|given|held|known|one|own|stored|wanted)(?![\w$]|\??:)/g

interface Exception {
  word: string
  files: RegExp
  why: string
}

/** Faults are what these inject. */
const FAULT_INJECTION = /^test\/(?:faults|fuzz|crash)\/|^server\/src\/transport\/.*faults\.test\.ts$/

/** Names in code that the field or the wire has. */
const NAME_EXCEPTIONS: readonly Exception[] = [
  ...['fault', 'Fault', 'faults', 'Faults', 'FAULTS', 'FAULT'].map((word) => ({
    ...{ word, files: FAULT_INJECTION, why: 'fault injection, and what a campaign finds' },
  })),
  {
    word: 'Fault',
    files: /^server\/src\/(?:messages|api)\//,
    why: '`recipientAtFault`, a key of stored JSON that nodes of the release before read',
  },
  {
    word: 'ask',
    files: /^cli\/src\/commands\/content\/providers\/add\.ts$/,
    why: 'the option --ask',
  },
  {
    word: 'encodedWords',
    files: /^server\/src\/base\/mime\/mime\.ts$/,
    why: 'encoded words of RFC 2047',
  },
  {
    word: 'foldWords',
    files: /^server\/src\/base\/mime\/mime\.ts$/,
    why: 'lines are folded between words, RFC 5322',
  },
]

/** Words that are names from elsewhere, where they stand. */
const EXCEPTIONS: readonly Exception[] = [
  {
    word: 'nobody',
    files: /^server\/src\/database\/local\/launch\.ts$|^docs\/(?:adr\/0017-.*|guides\/running)\.md$/,
    why: 'the user of the system under which PostgreSQL runs when root starts it',
  },
  {
    word: 'Wants',
    files: /^deploy\/postrider\.service$/,
    why: 'a directive of systemd',
  },
  {
    word: 'Wanted',
    files: /^deploy\/postrider\.service$/,
    why: 'a directive of systemd',
  },
  ...['Somebody', 'asked'].map((word) => ({
    ...{ word, files: /^docs\/guides\/pictures\/mails\.json$/, why: 'a mail to a person, as the pictures show it' },
  })),
  {
    word: 'begun',
    files:
      /^(?:docs\/(?:guides\/erasure\.md|reference\/(?:api\.md|openapi\.json))|client\/src\/generated\.ts|dashboard\/src\/people\/users\/erasure-state\.tsx|contract\/src\/resources\/recipients\/erasures\.ts|server\/src\/(?:api\/resources\/recipients\/erasures|database\/schema\.generated|database\/tables\/erasure\/erasures)\.ts)$/,
    why: 'the field of an erasure on the wire, and its column',
  },
  {
    word: 'passedOver',
    files: /^server\/src\/messages\/delivery(?:\.test)?\.ts$/,
    why: 'a key of stored JSON that nodes of the release before read',
  },
  {
    word: 'kept reply',
    files: /^docs\/glossary\.md$/,
    why: 'the glossary names it as a word to avoid',
  },
  {
    word: 'announcements',
    files: /^dashboard\/src\/templates\/blocks\/block-list\.tsx$/,
    why: 'an option of @dnd-kit: its texts for screen readers',
  },
  {
    word: 'catalogue',
    files: /^(?:server\/src\/database\/engine|test\/http\/providers\.test)\.ts$/,
    why: 'the NOTIFY channel that nodes of the release before listen on',
  },
]

const FIRST = '(?:Of|What|Who|Whom|Whose)'
const STATEMENT = String.raw`${FIRST}\s(?![^.\n|]*\?)`
const COMMENT = new RegExp(
  String.raw`(?:/\*\*?|//|^\s*\*|--|^\s*#)\s+${STATEMENT}|^\s*(?://|/?\*|#).*[.;:] ${STATEMENT}`,
  'gm',
)
const MODIFIERS = String.raw`(?:\.\w+(?:\((?:[^()]|\([^()]*\))*\))?)*`
const TITLE = new RegExp(
  String.raw`(?:\b(?:test|describe|it)${MODIFIERS}|^\s*\](?: as const)?\))\(\s*['"\x60](?:of|that|what|who|whom|whose)\s`,
  'gim',
)
const LITERAL = new RegExp(`^${STATEMENT}`, 'i')
const SENTENCE = new RegExp(String.raw`(?:^[#>*\-\d. ]*|[.!?:;](?:\*\*)? |\*\*)${STATEMENT}`, 'gm')

/** Applied migrations never change; requests of callers stand as they were sent; npm writes its lock. */
const EXEMPT =
  /^server\/src\/database\/migrations\/|^test\/tidy\/(?:vocabulary|rules\.test)\.ts$|^test\/conformance\/callers\/corpus\/|(?:^|\/)package-lock\.json$/

export function bannedWords(source: Source): string[] {
  if (EXEMPT.test(source.path)) return []
  const allowed = new Set(EXCEPTIONS.filter(({ files }) => files.test(source.path)).map(({ word }) => word))
  return BANNED.flatMap(({ words, instead }) =>
    matchesIn(source, words, (word) => (allowed.has(word) ? undefined : `${word}: ${instead}`)),
  )
}

/** Names in code, where a text may have the word. */
export function bannedNames(source: Source): string[] {
  if (EXEMPT.test(source.path)) return []
  const allowed = new Set(NAME_EXCEPTIONS.filter(({ files }) => files.test(source.path)).map(({ word }) => word))
  const { code } = lex(source.text)
  return BANNED_NAMES.flatMap(({ words, instead }) =>
    matchesIn({ path: source.path, text: code }, words, (word) =>
      allowed.has(word) ? undefined : `${word}: ${instead}`,
    ),
  )
}

/** A name of a value is a noun that says what it holds. */
export function valueNames(source: Source): string[] {
  if (EXEMPT.test(source.path)) return []
  const { code } = lex(source.text)
  return matchesIn({ path: source.path, text: code }, VALUE, (name) => `${name}: a noun that says what it holds`)
}

/** A comment, a title of a test, a text of a program and a sentence of a document begin with what they are about. */
export function openings(source: Source): string[] {
  if (EXEMPT.test(source.path)) return []
  if (source.path.endsWith('.md')) return opening(source, SENTENCE)
  if (source.path.endsWith('.json')) return []
  const texts = isTest(source.path) || !/\.(?:tsx?|m?js)$/.test(source.path) ? [] : lex(source.text).literals
  return [
    ...opening(source, COMMENT),
    ...opening(source, TITLE),
    ...texts
      .filter(({ value }) => LITERAL.test(value))
      .map(({ at, value }) => `${source.path}:${lineAt(source.text, at)}: ${value}: begin with the subject`),
  ]
}

const opening = (source: Source, pattern: RegExp) =>
  matchesIn(source, pattern, (text) => `${text}: begin with the subject`)

/** Exceptions whose word or file is gone. */
export function staleExceptions(sources: readonly Source[]): string[] {
  return [...EXCEPTIONS, ...NAME_EXCEPTIONS]
    .filter(({ word, files }) => !sources.some(({ path, text }) => files.test(path) && text.includes(word)))
    .map(({ word }) => `${word}: no file has it any more; remove its exception from test/tidy/vocabulary.ts`)
}

function matchesIn({ path, text }: Source, words: RegExp, say: (match: string) => string | undefined): string[] {
  return [...text.matchAll(words)].flatMap(({ 0: match, index }) => {
    const said = say(match.trim())
    return said === undefined ? [] : [`${path}:${lineAt(text, index + match.length - 1)}: ${said}`]
  })
}
