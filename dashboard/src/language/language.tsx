/** The reader's language: every text of a screen stands beside it in all languages, which the types check. */
import { createContext, type ReactNode, use, useMemo, useState } from 'react'
import { readPreference, writePreference } from '../parts/preference.ts'
import { localeFor } from './locale.ts'

export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

type Text = string | ((...values: never[]) => string)
type Translated<Texts> = {
  [Name in keyof Texts]: Texts[Name] extends (...values: infer Values) => string
    ? (...values: Values) => string
    : string
}
export interface Translations<Texts> {
  en: Texts
  de: Translated<Texts>
}

/** Checks that a screen has each of its texts in every language. */
export const texts = <Texts extends Record<string, Text>>(translations: Translations<Texts>) => translations

interface Choice {
  language: Language
  /** For times and numbers. */
  locale: string
  choose(language: Language): void
}
const LanguageContext = createContext<Choice>({ language: 'en', locale: 'en', choose() {} })

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(initialLanguage)
  const choice = useMemo<Choice>(
    () => ({
      language,
      locale: localeFor(language, navigator.languages),
      choose(next) {
        writePreference('language', next)
        document.documentElement.lang = next
        setLanguage(next)
      },
    }),
    [language],
  )
  return <LanguageContext value={choice}>{children}</LanguageContext>
}

export const useLanguage = () => use(LanguageContext)

export function useTexts<Texts>(translations: Translations<Texts>): Translated<Texts> {
  return translations[use(LanguageContext).language] as Translated<Texts>
}

function initialLanguage(): Language {
  const preference = readPreference('language') ?? navigator.language.slice(0, 2)
  const language = preference in languages ? (preference as Language) : 'en'
  document.documentElement.lang = language
  return language
}
