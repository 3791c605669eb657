/** Translations of texts: catalogs by locale, the chain of a locale, and the plural form of a number. */
import { compileExpression, type Expression, evaluate } from '../../base/expression/expression.ts'
import { matchingLocales } from '../../base/locale.ts'
import { quoted } from '../../base/quote.ts'
import { readPo } from './po.ts'

export interface Catalog {
  /** As it was stored; `default`: for every locale. */
  locale: string
  /** By `keyOf`; the plural forms in their order. */
  texts: ReadonlyMap<string, readonly string[]>
  pluralForm(count: number): number
  problems: readonly string[]
  /** Parts of its header that are not used. */
  warnings: readonly string[]
}

/** The catalog that every locale falls back to. */
export const DEFAULT_LOCALE = 'default'

export interface TranslationRequest {
  message: string
  context?: string | undefined
  /** The text of the source for every number but one. */
  plural?: string | undefined
  count?: number | undefined
}

/** As gettext joins them. */
const keyOf = (context: string, message: string) => (context === '' ? message : `${context}\u0004${message}`)

export function readCatalog(locale: string, text: string): Catalog {
  const { entries, problems } = readPo(text)
  const header = entries.find(({ context, message }) => context === '' && message === '')?.texts[0] ?? ''
  const plural = pluralRule(locale, header)
  const texts = new Map<string, readonly string[]>()
  for (const entry of entries) if (entry.message !== '') texts.set(keyOf(entry.context, entry.message), entry.texts)
  return {
    locale,
    texts,
    pluralForm: plural.formOf,
    problems,
    warnings: plural.warning === undefined ? [] : [plural.warning],
  }
}

/** The most specific first: `de-AT`, `de`, `default`. */
export function localeChain(available: Iterable<string>, requested: string | undefined): string[] {
  const names = [...available]
  return [...new Set([...matchingLocales(names, requested), ...matchingLocales(names, DEFAULT_LOCALE)])]
}

/** Undefined: no catalog has it. A plural form that a catalog lacks is looked for in the next one. */
export function translate(catalogs: readonly Catalog[], request: TranslationRequest): string | undefined {
  const key = keyOf(request.context ?? '', request.message)
  for (const { texts, pluralForm } of catalogs) {
    const forms = texts.get(key)
    const text = forms?.[request.count === undefined ? 0 : pluralForm(request.count)]
    if (text !== undefined && text !== '') return text
  }
  return undefined
}

/** The text of the source, by the rule of English as gettext has it. */
export const sourceText = ({ message, plural, count }: TranslationRequest): string =>
  plural === undefined || count === undefined || count === 1 ? message : plural

interface PluralRule {
  formOf(count: number): number
  warning?: string
}

const PLURAL_FORMS = /^Plural-Forms:\s*nplurals\s*=\s*(\d{1,2})\s*;\s*plural\s*=\s*([^;\n]{1,1000});?\s*$/im

/** By the header of the catalog, else by CLDR. */
function pluralRule(locale: string, header: string): PluralRule {
  const byLocale = cldrRule(locale)
  if (!/^Plural-Forms:/im.test(header)) return { formOf: byLocale }
  const [, forms, source] = PLURAL_FORMS.exec(header) ?? []
  const expression = source === undefined ? undefined : pluralExpression(source)
  if (forms === undefined || !expression)
    return {
      formOf: byLocale,
      warning:
        'the header `Plural-Forms` must be like `nplurals=2; plural=(n != 1);`; the rule of the language is used instead',
    }
  return {
    formOf(count) {
      const form = Number(evaluate(expression, [{ n: Math.abs(Math.trunc(count)) }]))
      return Number.isInteger(form) && form >= 0 && form < Number(forms) ? form : 0
    },
  }
}

/** Its operators are those of expressions, too. */
function pluralExpression(source: string): Expression | undefined {
  if (!/^[n\d\s()%?:&|!<>=+*/-]+$/.test(source)) return undefined
  try {
    return compileExpression(source.trim())
  } catch {
    return undefined
  }
}

/** The order in which catalogs without a header count their forms: that of CLDR. */
const CATEGORIES: readonly Intl.LDMLPluralRule[] = ['zero', 'one', 'two', 'few', 'many', 'other']

function cldrRule(locale: string): (count: number) => number {
  const rules = rulesOf(locale === DEFAULT_LOCALE ? 'en' : locale.replaceAll('_', '-'))
  const used = CATEGORIES.filter((category) => rules.resolvedOptions().pluralCategories.includes(category))
  return (count) => Math.max(0, used.indexOf(rules.select(count)))
}

function rulesOf(locale: string): Intl.PluralRules {
  try {
    return new Intl.PluralRules(locale)
  } catch {
    return new Intl.PluralRules('en')
  }
}

/** The catalogs of a rendering, and the texts that they have no translation for. */
export interface Translator {
  /** Those of the locale of the message, the most specific first. */
  readonly catalogs: readonly Catalog[]
  readonly missing: Set<string>
}

/** The finding for a text that is shown in the language of the source. */
export const missingTranslation = (message: string): string =>
  `No translation of ${quoted(message.slice(0, 100))}; it is shown as it was written.`
