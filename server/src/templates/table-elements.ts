/** `table`, `table-row` and `table-cell`: rows whose columns stay side by side on every screen; a line each elsewhere. */
import { type Compiler, type Element, emit, finished, marked, type Node, stringOf } from './element.ts'
import type { Line, Op } from './program.ts'

/** Between the cells of a row that is a line. */
const BETWEEN = ' | '

const isOn = (value: unknown) => value === true || value === 'true'

export const table: Element = {
  type: 'table',
  fields: {},
  children: ['table-row'],
  mjml: {
    table:
      '<mj-table css-class="pr-text" padding="8px" color="[[@text]]" font-size="15px" line-height="22px">[[content]]</mj-table>',
  },
  html({ children }, compiler) {
    const rows = compiler.children(children, true)
    if (!compiler.inline) return compiler.row('table', { content: rows })
    return ['<table cellpadding="0" cellspacing="0" border="0" width="100%" style="width:100%">', ...rows, '</table>']
  },
  text({ children }, compiler) {
    const join = (lines: readonly Line[]) => lines.map(({ text }) => text).join('\n')
    return [emit('table', [{ op: 'collect', body: compiler.children(children, true), join }], compiler)]
  },
}

/** A field in which a row describes the position of each cell; no name of the author's begins so. */
const PLACE = '@place'

interface Place {
  isHeader: boolean
  /** Every other row of its table has a line above it. */
  isTop: boolean
  isFirst: boolean
  isLast: boolean
}

function placed({ at, control, fields, children }: Node): Node[] {
  // A row that repeats needs lines between its copies.
  const isTop = at.endsWith('.0') && !control
  const cells = children.filter(({ element }) => element === tableCell)
  return cells.map((cell, index): Node => {
    const place = { isHeader: isOn(fields.header), isTop, isFirst: index === 0, isLast: index === cells.length - 1 }
    return { ...cell, fields: { ...cell.fields, [PLACE]: place satisfies Place } }
  })
}

export const tableRow: Element = {
  type: 'table-row',
  fields: { header: 'flag' },
  children: ['table-cell'],
  parent: 'table',
  html: (node, compiler) => ['\n<tr>', ...compiler.children(placed(node), true), '</tr>'],
  text(node, compiler) {
    const { rules } = compiler
    const between = rules.text(BETWEEN)
    const join = (lines: readonly Line[]) => lines.map(({ text }) => text.replace(/\s+/g, ' ')).join(between)
    const line: Op = { op: 'collect', body: compiler.children(placed(node), true), join }
    return [
      emit('table-row', isOn(node.fields.header) ? finished(marked('strong', [line], rules), rules) : [line], compiler),
    ]
  },
}

export const tableCell: Element = {
  type: 'table-cell',
  fields: { content: 'text', align: 'text', color: 'style', background_color: 'style' },
  children: 'any',
  parent: 'table-row',
  html(node, compiler) {
    const { fields } = node
    const { isHeader, isTop } = placeOf(node)
    const { muted, border } = compiler.theme.light
    const background = stringOf(fields.background_color)
    const style = [
      ...[
        `padding:10px ${gaps(node, compiler)};${isTop ? '' : `border-top:1px solid ${border};`}vertical-align:top;text-align:`,
      ],
      ...compiler.align(fields.align, 'start'),
      ...(isHeader
        ? [`;font-size:13px;font-weight:600;word-break:normal${fields.color ? '' : `;color:${muted}`}`]
        : []),
      ...(fields.color ? [';color:', ...compiler.style(fields.color, '')] : []),
      ...(background === '' ? [] : [';background:', ...compiler.style(background, '')]),
    ]
    const open = isHeader ? '\n<th scope="col" class="pr-cell pr-m" style="' : '\n<td class="pr-cell" style="'
    const content = compiler.markdown(stringOf(fields.content), isHeader)
    return [open, ...style, '">', ...content, ...compiler.children(node.children, true), isHeader ? '</th>' : '</td>']
  },
  text(node, compiler) {
    const join = (lines: readonly Line[]) => lines.map(({ text }) => text).join(' ')
    const content = emit('text', compiler.markdown(stringOf(node.fields.content), placeOf(node).isHeader), compiler)
    return [
      emit(
        'table-cell',
        [{ op: 'collect', body: [content, ...compiler.children(node.children, true)], join }],
        compiler,
      ),
    ]
  },
}

const placeOf = ({ fields }: Node) => fields[PLACE] as Place

/** Between columns only: the first and the last one end where the texts of the mail do. */
function gaps(node: Node, { direction }: Compiler): string {
  const { isFirst, isLast } = placeOf(node)
  const [before, after] = [isFirst ? '0' : '8px', isLast ? '0' : '8px']
  const [left, right] = direction === 'rtl' ? [after, before] : [before, after]
  return `${right} 10px ${left}`
}
