/** A Handlebars text as a tree: every block closed, every helper known. */

import { blockHelpers, booleanHelpers, valueHelpers } from './calls.ts'
import { type Call, type Expression, type Piece, type Tag, TagInvalid } from './tags.ts'

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
  if (unclosed) throw new TagInvalid(`\`${unclosed.source}\` is not closed`)
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
  const isSection =
    call.args.length === 0 && call.named.size === 0 && !valueHelpers.has(name) && !blockHelpers.has(name)
  if (!isSection && !blockHelpers.has(name) && !booleanHelpers.has(name))
    throw new TagInvalid(
      `\`${source}\`: ${valueHelpers.has(name) ? `\`${name}\` cannot be used as a block` : unknownHelper(name)}`,
    )
  if (blockHelpers.has(name) && call.args.length !== 1)
    throw new TagInvalid(`\`${source}\`: \`${name}\` takes one value`)
  checkArguments(call, source)
}

function checkValue(call: Call, source: string): void {
  const isVariable = call.args.length === 0 && call.named.size === 0
  if (!isVariable && !valueHelpers.has(call.name.source))
    throw new TagInvalid(`\`${source}\`: ${unknownHelper(call.name.source)}`)
  checkArguments(call, source)
}

function checkArguments({ args, named }: Call, source: string): void {
  for (const argument of [...args, ...named.values()]) checkArgument(argument, source)
}

function checkArgument(argument: Expression, source: string): void {
  if (argument.kind !== 'call') return
  if (!valueHelpers.has(argument.name.source))
    throw new TagInvalid(`\`${source}\`: ${unknownHelper(argument.name.source)}`)
  checkArguments(argument, source)
}

const unknownHelper = (name: string) =>
  name === 't'
    ? '`t` is not known: write translations into the `locales` of the element'
    : `\`${name}\` is not a known helper`
