/** The metrics of a PromQL expression, with the labels that it reads of each. */
import { parser } from '@prometheus-io/lezer-promql'

type Node = ReturnType<typeof parser.parse>['topNode']

export interface Selector {
  metric: string
  labels: string[]
}

/** Throws for an expression that is not PromQL. Variables of Grafana stand for a duration outside of quotes. */
export function selectorsOf(expression: string): Selector[] {
  const source = expression.replaceAll(/\$__\w+/g, '5m')
  const { topNode } = parser.parse(source)
  const textOf = ({ from, to }: Node) => source.slice(from, to)
  const selectors: Selector[] = []
  const visit = (node: Node, grouping: readonly string[]): void => {
    if (node.type.isError) throw new SyntaxError(`No PromQL at ${node.from} of ${source}`)
    const modifier = node.name === 'AggregateExpr' ? node.getChild('AggregateModifier') : null
    const groups = [...grouping, ...(modifier ? all(modifier, 'LabelName').map(textOf) : [])]
    if (node.name === 'VectorSelector') {
      const matched = all(node, 'LabelMatchers').flatMap((matchers) => all(matchers, 'LabelName'))
      const metric = node.getChild('Identifier')
      selectors.push({ metric: metric ? textOf(metric) : '', labels: [...groups, ...matched.map(textOf)] })
    }
    for (const child of childrenOf(node)) visit(child, groups)
  }
  visit(topNode, [])
  return selectors
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child)
  return children
}

const all = (node: Node, name: string): Node[] =>
  childrenOf(node).flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)])
