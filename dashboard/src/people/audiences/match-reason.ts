/** Why a profile matches an audience, in words: the server writes `EQ('plan', 'pro') => true`, nested as the filter is. */

const TEXT = String.raw`'(?:[^'\\]|\\.)*'`
const VALUE = String.raw`(?:${TEXT}|\[(?:${TEXT}|[^\]'])*\]|[^()',]+)`
const CONDITION = new RegExp(String.raw`([A-Z_]+)\((${TEXT})(?:, (${VALUE}))?\) => (true|false)`, 'g')

/** The conditions that hold: `plan is pro, age is there`; the reason as it is where it has another form. */
export function matchReason(reason: string, operators: Readonly<Record<string, unknown>>): string {
  const conditions = [...reason.matchAll(CONDITION)].flatMap(([, operator = '', path = '', value = '', result]) => {
    const word = operators[operator]
    return result === 'true' && typeof word === 'string' ? [[bare(path), word, bare(value)].join(' ').trim()] : []
  })
  return conditions.length > 0 ? conditions.join(', ') : reason
}

const bare = (value: string) =>
  value.replace(new RegExp(TEXT, 'g'), (text) => text.slice(1, -1).replace(/\\(.)/g, '$1')).replace(/^\[|\]$/g, '')
