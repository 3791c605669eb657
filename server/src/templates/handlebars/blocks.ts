/** A Handlebars text as a tree: every block closed, every helper known. */

import { didYouMean, nearestName, quotedList } from '../../base/quote.ts'
import { blockHelpers, booleanHelpers, TRANSLATION, valueHelpers, zonedHelpers } from './calls.ts'
import { isClockZone } from './dates.ts'
import { type Call, type Piece, type Tag, type TagExpression, TagInvalid } from './tags.ts'

export type Part = string | { kind: 'value'; call: Call; source: string } | Block

export interface Block {
  kind: 'block'
  call: Call
  params: readonly string[]
  body: readonly Part[]
  inverse: readonly Part[]
}

const BLOCKS_DEEP_MAX = 20

interface Open {
  call: Call
  inverted: boolean
  params: readonly string[]
  source: string
  body: Part[]
  inverse?: Part[]
  /** The block of an `else if`: it ends with the one it stands in. */
  chained: boolean
}

/** Throws `TagInvalid`. */
export function treeOf(pieces: readonly Piece[]): Part[] {
  const root: Part[] = []
  const open: Open[] = []
  const here = () => {
    const last = open.at(-1)
    return last ? (last.inverse ?? last.body) : root
  }
  const begin = (tag: Omit<Open, 'body'>) => {
    if (open.length >= BLOCKS_DEEP_MAX) throw new TagInvalid(`Blocks stand more than ${BLOCKS_DEEP_MAX} deep`)
    checkBlock(tag.call, tag.source)
    open.push({ ...tag, body: [] })
  }
  const end = () => {
    const block = open.pop()
    if (block?.call.name.source === TRANSLATION) checkTranslated(block)
    if (block) here().push(blockOf(block))
    return block
  }
  for (const piece of pieces) {
    switch (piece.kind) {
      case 'text':
        here().push(piece.text)
        break
      case 'value':
        checkValue(piece.call, piece.source)
        here().push({ kind: 'value', call: piece.call, source: piece.source })
        break
      case 'open':
        begin({ ...piece, chained: false })
        break
      case 'else':
        otherwise(piece, open.at(-1))
        if (piece.call)
          begin({ call: piece.call, params: piece.params, inverted: false, source: piece.source, chained: true })
        break
      case 'close': {
        let block = end()
        while (block?.chained) block = end()
        if (!block) throw new TagInvalid(`\`${piece.source}\` closes a block that is not open`)
        if (block.call.name.source !== piece.name)
          throw new TagInvalid(`\`${block.source}\` is closed by \`${piece.source}\``)
        break
      }
    }
  }
  const unclosed = open.find(({ chained }) => !chained)
  if (unclosed)
    throw new TagInvalid(`\`${unclosed.source}\` is not closed: write \`{{/${unclosed.call.name.source}}}\` behind it`)
  return root
}

function otherwise({ source }: Tag & { source: string }, block: Open | undefined): void {
  if (!block || block.inverse) throw new TagInvalid(`\`${source}\` is allowed once, inside a block`)
  block.inverse = []
}

function blockOf({ call, params, body, inverse = [], inverted }: Open): Block {
  return { kind: 'block', call, params, ...(inverted ? { body: inverse, inverse: body } : { body, inverse }) }
}

function checkBlock(call: Call, source: string): void {
  const name = call.name.source
  if (name === TRANSLATION) {
    if (call.args.length > 0)
      throw new TagInvalid(
        `\`${source}\`: the block \`t\` has its text inside; only \`count=\`, \`context=\` and values by name stand in its tag`,
      )
    checkArguments(call, source)
    return
  }
  const isSection =
    call.args.length === 0 && call.named.size === 0 && !valueHelpers.has(name) && !blockHelpers.has(name)
  if (!isSection && !blockHelpers.has(name) && !booleanHelpers.has(name))
    throw new TagInvalid(
      `\`${source}\`: ${valueHelpers.has(name) ? `\`${name}\` cannot be used as a block` : unknownHelper(name, blocks)}`,
    )
  if (blockHelpers.has(name) && call.args.length !== 1)
    throw new TagInvalid(`\`${source}\`: \`${name}\` takes one value`)
  checkArguments(call, source)
}

/** Translators get its text whole. */
function checkTranslated({ source, body, inverse = [] }: Open): void {
  const isText = (part: Part) => typeof part === 'string' || (part.kind === 'value' && isVariable(part.call))
  if (![...body, ...inverse].every(isText))
    throw new TagInvalid(
      `\`${source}\`: the block \`t\` holds only text and variables; give other values by name: \`{{#t total=(format "%.2f" amount)}}\``,
    )
}

const isVariable = ({ args, named }: Call) => args.length === 0 && named.size === 0

/** The text of a block `t` as catalogs have it. */
export const translatedText = (parts: readonly Part[]): string =>
  parts
    .map((part) => (typeof part === 'string' ? part : part.kind === 'value' ? part.source : ''))
    .join('')
    .trim()

/** Every text with a translation that is written in the template, and not in its data. */
export function* translatedTexts(parts: readonly Part[]): Generator<{ message: string; context?: string | undefined }> {
  for (const part of parts) {
    if (typeof part === 'string') continue
    const { name } = part.call
    const isBlock = part.kind === 'block'
    if (name.source === TRANSLATION && isBlock)
      yield { message: translatedText(part.body), context: literalOf(part.call.named.get('context')) }
    else yield* callsIn(part.call)
    if (isBlock) yield* translatedTexts([...part.body, ...part.inverse])
  }
}

function* callsIn(call: Call): Generator<{ message: string; context?: string | undefined }> {
  if (call.name.source === TRANSLATION && call.args.length > 0) {
    const message = literalOf(call.args[0])
    // Without a text of its own it still needs the catalogs.
    yield { message: message ?? '', context: literalOf(call.named.get('context')) }
  }
  for (const argument of [...call.args, ...call.named.values()]) if (argument.kind === 'call') yield* callsIn(argument)
}

/** Time zones that are written in the template, and are none. */
export function* unknownZones(parts: readonly Part[]): Generator<string> {
  for (const call of callsOf(parts)) {
    const zone = zonedHelpers.has(call.name.source) ? literalOf(call.args[2]) : undefined
    if (zone && !isClockZone(zone)) yield zone
  }
}

function* callsOf(parts: readonly Part[]): Generator<Call> {
  for (const part of parts) {
    if (typeof part === 'string') continue
    yield* withArguments(part.call)
    if (part.kind === 'block') yield* callsOf([...part.body, ...part.inverse])
  }
}

function* withArguments(call: Call): Generator<Call> {
  yield call
  for (const argument of [...call.args, ...call.named.values()])
    if (argument.kind === 'call') yield* withArguments(argument)
}

const literalOf = (expression: TagExpression | undefined) =>
  expression?.kind === 'literal' && typeof expression.value === 'string' ? expression.value : undefined

function checkValue(call: Call, source: string): void {
  if (!isVariable(call) && !valueHelpers.has(call.name.source))
    throw new TagInvalid(`\`${source}\`: ${unknownHelper(call.name.source, valueHelpers.keys())}`)
  if (!isVariable(call)) checkText(call, source)
  checkArguments(call, source)
}

function checkText({ name, args }: Call, source: string): void {
  if (name.source === TRANSLATION && args.length !== 1)
    throw new TagInvalid(`\`${source}\`: \`t\` takes one text, such as \`{{t "Hello {name}"}}\``)
}

function checkArguments({ args, named }: Call, source: string): void {
  for (const argument of [...args, ...named.values()]) checkArgument(argument, source)
}

function checkArgument(argument: TagExpression, source: string): void {
  if (argument.kind !== 'call') return
  if (!valueHelpers.has(argument.name.source))
    throw new TagInvalid(`\`${source}\`: ${unknownHelper(argument.name.source, valueHelpers.keys())}`)
  checkText(argument, source)
  checkArguments(argument, source)
}

/** Names that other libraries have for helpers. */
const otherNames = new Map(
  Object.entries({
    ...{
      eq: 'condition',
      ne: 'condition',
      gt: 'condition',
      lt: 'condition',
      equals: 'condition',
      compare: 'condition',
    },
    ...{ date: 'datetime-format', formatDate: 'datetime-format', dateFormat: 'datetime-format' },
    ...{ plus: 'add', minus: 'subtract', times: 'multiply', join: 'concat', translate: 't', i18n: 't' },
  }),
)

const blocks = [...blockHelpers, ...booleanHelpers, TRANSLATION]

/** More names than these say little in a sentence. */
const LISTED_MAX = 12

function unknownHelper(name: string, names: Iterable<string>): string {
  const helpers = [...names]
  const other = otherNames.get(name)
  const nearest = other !== undefined && helpers.includes(other) ? other : nearestName(name, helpers)
  const list = helpers.length <= LISTED_MAX ? `. There are ${quotedList(helpers)}` : ''
  return `\`${name}\` is not a known helper${nearest === undefined ? list : `.${didYouMean(nearest)}`}`
}
