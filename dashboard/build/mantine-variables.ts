/** The variables of the theme as a stylesheet: the page permits no style element, which Mantine would write at run time. */
import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core'
import type { Plugin } from 'vite'
import { theme } from '../src/theme/theme.ts'

const ID = 'virtual:theme-variables.css'

export const mantineVariables = (): Plugin => ({
  name: 'mantine-variables',
  resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
  load: (id) =>
    id === `\0${ID}`
      ? convertCssVariables(defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme)), ':root')
      : undefined,
})
