/** A row of text in a mail, in one of the sizes that `text_style` names. */
import { type Compiler, type Fields, stringOf } from './element.ts'
import { contrast, READABLE } from './mail/contrast.ts'
import type { Op } from './program.ts'

/** `tone` names the color for dark screens. */
const textStyles = {
  text: { size: '16px', leading: '24px', weight: 'normal', color: 'text', tone: 'pr-text' },
  subtext: { size: '13px', leading: '20px', weight: 'normal', color: 'muted', tone: 'pr-mute' },
  h1: { size: '24px', leading: '32px', weight: 'bold', color: 'heading', tone: 'pr-head' },
  h2: { size: '18px', leading: '26px', weight: 'bold', color: 'heading', tone: 'pr-head' },
} as const

export const styleOf = (value: unknown) => textStyles[value as keyof typeof textStyles] ?? textStyles.text

/** A row of text; a color of the author's stays on a dark card only where it can be read. */
export function textRow(compiler: Compiler, content: readonly Op[], fields: Fields, ofText: unknown = 'text'): Op[] {
  const { theme } = compiler
  const { color, tone, size, leading, weight } = styleOf(ofText)
  const own = stringOf(fields.color)
  const stays = own !== '' && theme.dark !== undefined && (contrast(own, theme.dark.card) ?? 0) >= READABLE
  return compiler.row('text', {
    content,
    align: compiler.align(fields.align, 'start'),
    color: compiler.style(fields.color, theme.light[color]),
    size: [size],
    leading: [leading],
    weight: [weight],
    tone: [stays ? '' : tone],
  })
}
