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

/** Words that are names from elsewhere, where they stand. */
const EXCEPTIONS: readonly { word: string; files: RegExp; why: string }[] = [
  {
    word: 'nobody',
    files: /^server\/src\/database\/local\/launch\.ts$|^docs\/(?:adr\/0017-.*|guides\/running)\.md$/,
    why: 'the user of the system under which PostgreSQL runs when root starts it',
  },
  {
    word: 'begun',
    files:
      /^(?:docs\/(?:guides\/erasure|reference\/api)\.md|client\/src\/generated\.ts|contract\/src\/resources\/recipients\/erasures\.ts|server\/src\/(?:api\/resources\/recipients\/erasures|database\/schema\.generated|database\/tables\/erasure\/erasures)\.ts)$/,
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
    word: 'catalogue',
    files: /^(?:server\/src\/database\/engine|test\/http\/providers\.test)\.ts$/,
    why: 'the NOTIFY channel that nodes of the release before listen on',
  },
]

const FIRST = '(?:Of|What|Who|Whom|Whose)'
const STATEMENT = String.raw`${FIRST}\s(?![^.\n|]*\?)`
const COMMENT = new RegExp(String.raw`(?:/\*\*|//|^\s*\*|--)\s+${STATEMENT}|^\s*(?://|/?\*).*[.;:] ${STATEMENT}`, 'gm')
const MODIFIERS = String.raw`(?:\.\w+(?:\((?:[^()]|\([^()]*\))*\))?)*`
const TITLE = new RegExp(
  String.raw`(?:\b(?:test|describe|it)${MODIFIERS}|^\s*\](?: as const)?\))\(\s*['"\x60](?:of|that|what|who|whom|whose)\s`,
  'gim',
)
const LITERAL = new RegExp(`^${STATEMENT}`, 'i')
const SENTENCE = new RegExp(String.raw`(?:^[#>*\-\d. ]*|[.!?:;](?:\*\*)? |\*\*)${STATEMENT}`, 'gm')

/** Applied migrations never change, and generated files follow what they are made from. */
const EXEMPT = /^server\/src\/database\/migrations\/|^test\/tidy\/(?:vocabulary|rules\.test)\.ts$/

export function bannedWords(source: Source): string[] {
  if (EXEMPT.test(source.path)) return []
  const allowed = new Set(EXCEPTIONS.filter(({ files }) => files.test(source.path)).map(({ word }) => word))
  return BANNED.flatMap(({ words, instead }) =>
    found(source, words, (word) => (allowed.has(word) ? undefined : `${word}: ${instead}`)),
  )
}

/** A comment, a title of a test, a text of a program and a sentence of a document begin with what they are about. */
export function openings(source: Source): string[] {
  if (EXEMPT.test(source.path)) return []
  if (source.path.endsWith('.md')) return opening(source, SENTENCE)
  const texts = isTest(source.path) || !source.path.endsWith('.ts') ? [] : lex(source.text).literals
  return [
    ...opening(source, COMMENT),
    ...opening(source, TITLE),
    ...texts
      .filter(({ value }) => LITERAL.test(value))
      .map(({ at, value }) => `${source.path}:${lineAt(source.text, at)}: ${value}: begin with the subject`),
  ]
}

const opening = (source: Source, pattern: RegExp) => found(source, pattern, (text) => `${text}: begin with the subject`)

/** Exceptions whose word or file is gone. */
export function staleExceptions(sources: readonly Source[]): string[] {
  return EXCEPTIONS.filter(
    ({ word, files }) => !sources.some(({ path, text }) => files.test(path) && text.includes(word)),
  ).map(({ word }) => `${word}: no file has it any more; remove its exception from test/tidy/vocabulary.ts`)
}

function found({ path, text }: Source, words: RegExp, say: (match: string) => string | undefined): string[] {
  return [...text.matchAll(words)].flatMap(({ 0: match, index }) => {
    const said = say(match.trim())
    return said === undefined ? [] : [`${path}:${lineAt(text, index + match.length - 1)}: ${said}`]
  })
}
