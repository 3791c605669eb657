/** The variables of the theme as a stylesheet: the page permits no style element, which Mantine would write at run time. */
import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core'
import type { Plugin } from 'vite'
import { cssVariablesResolver, theme } from '../src/theme/theme.ts'

const ID = 'virtual:theme-variables.css'

export const mantineVariables = (): Plugin => ({
  name: 'mantine-variables',
  resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
  load: (id) => (id === `\0${ID}` ? convertCssVariables(variables(), ':root') : undefined),
})

function variables() {
  const whole = mergeMantineTheme(DEFAULT_THEME, theme)
  const [defaults, ours] = [defaultCssVariablesResolver(whole), cssVariablesResolver(whole)]
  return {
    variables: { ...defaults.variables, ...ours.variables },
    light: { ...defaults.light, ...ours.light },
    dark: { ...defaults.dark, ...ours.dark },
  }
}
