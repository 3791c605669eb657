/** Mantine's theme, made of the tokens: it has their names and no value of its own. */
import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineTheme,
  type VariantColorsResolver,
} from '@mantine/core'

/** `token('text')` of `sm` is `var(--text-sm)`. */
const tokens = <Key extends string>(name: string, keys: readonly Key[]) =>
  Object.fromEntries(keys.map((key) => [key, `var(--${name}-${key})`])) as Record<Key, string>
const sizes = ['xs', 'sm', 'md', 'lg', 'xl'] as const

/** A dialog that fades out: it is closed, and keys are the page's again. */
export const CLOSING = 'closing'
const closingClass = (isOpen: boolean | undefined) => (isOpen === false ? CLOSING : '')

/** Colors of components by what they say; `red` is that of Mantine's own components for errors. */
const meanings: Readonly<Record<string, string>> = { bad: 'bad', red: 'bad', good: 'good', warn: 'warn', hold: 'hold' }

const variantColorResolver: VariantColorsResolver = (input) => {
  const meaning = meanings[input.color ?? '']
  const word = meaning === undefined ? undefined : `var(--${meaning})`
  const border = '1px solid transparent'
  switch (input.variant) {
    case 'filled':
      return {
        background: word ?? 'var(--primary)',
        hover: word ?? 'var(--primary-hover)',
        color: word ? 'var(--page)' : 'var(--on-primary)',
        border,
      }
    case 'light':
      return {
        background: `var(--${meaning ?? 'quiet'}-ground)`,
        hover: 'var(--hover)',
        color: word ?? 'var(--ink-2)',
        border,
      }
    case 'subtle':
      return { background: 'transparent', hover: 'var(--hover)', color: word ?? 'var(--ink-2)', border }
    case 'default':
    case 'outline':
      return {
        background: 'var(--raise)',
        hover: 'var(--hover)',
        color: word ?? 'var(--ink)',
        border: '1px solid var(--line-2)',
      }
    default:
      return defaultVariantColorsResolver(input)
  }
}

export const theme = createTheme({
  primaryColor: 'gray',
  fontFamily: 'var(--font-ui)',
  fontFamilyMonospace: 'var(--font-mono)',
  fontSizes: tokens('text', sizes),
  lineHeights: tokens('line', sizes),
  spacing: tokens('space', sizes),
  radius: tokens('radius', sizes),
  shadows: tokens('shadow', sizes),
  fontWeights: tokens('weight', ['regular', 'medium', 'bold']),
  defaultRadius: 'sm',
  headings: {
    fontFamily: 'var(--font-ui)',
    fontWeight: 'var(--weight-bold)',
    sizes: {
      h1: { fontSize: 'var(--text-2xl)', lineHeight: 'var(--line-2xl)' },
      h2: { fontSize: 'var(--text-lg)', lineHeight: 'var(--line-lg)' },
      h3: { fontSize: 'var(--text-sm)', lineHeight: 'var(--line-sm)' },
    },
  },
  // Rounder than 760 and 1,100 px of the design at the usual size of text.
  breakpoints: { xs: '30em', sm: '47.5em', md: '62.5em', lg: '68.75em', xl: '88em' },
  focusRing: 'auto',
  respectReducedMotion: true,
  cursorType: 'pointer',
  variantColorResolver,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    // Locking the scroll of the page would write a style element, which its policy refuses; page.css locks it.
    Modal: {
      defaultProps: { centered: true, lockScroll: false, radius: 'lg', transitionProps: { duration: 120 } },
      classNames: (_theme: MantineTheme, { opened }: { opened?: boolean }) => ({ content: closingClass(opened) }),
    },
    Popover: {
      classNames: (_theme: MantineTheme, { opened }: { opened?: boolean }) => ({ dropdown: closingClass(opened) }),
    },
    Switch: { defaultProps: { color: 'var(--good)' } },
    Tooltip: {
      defaultProps: {
        withArrow: true,
        openDelay: 250,
        multiline: true,
        events: { hover: true, focus: true, touch: true },
      },
    },
  },
})

const colors = {
  body: 'page',
  text: 'ink',
  bright: 'ink',
  dimmed: 'ink-3',
  placeholder: 'ink-3',
  anchor: 'link',
  error: 'bad',
  success: 'good',
  default: 'raise',
  'default-hover': 'hover',
  'default-color': 'ink',
  'default-border': 'line-2',
  disabled: 'sunk',
  'disabled-color': 'ink-3',
  'disabled-border': 'line',
  'red-filled': 'bad',
  'gray-filled': 'primary',
  'gray-filled-hover': 'primary-hover',
  'gray-light': 'selected',
  'gray-light-hover': 'hover',
  'gray-light-color': 'ink-2',
}
/** Shades that Mantine's own components take, from light to dark. */
const shades = {
  gray: ['sunk', 'sunk', 'line', 'line', 'line-2', 'line-3', 'ink-3', 'ink-2', 'ink', 'ink'],
  dark: ['ink', 'ink-2', 'ink-3', 'ink-3', 'line-2', 'hover', 'raise', 'page', 'sunk', 'sunk'],
}
const schemeColors = Object.fromEntries(
  [
    ...Object.entries(colors),
    ...Object.entries(shades).flatMap(([name, tones]) => tones.map((token, shade) => [`${name}-${shade}`, token])),
  ].map(([name, token]) => [`--mantine-color-${name}`, `var(--${token})`]),
)

/** The same in both schemes, whose selectors are stronger than those of `variables`: a token knows the scheme itself. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: { '--mantine-primary-color-contrast': 'var(--on-primary)' },
  light: schemeColors,
  dark: schemeColors,
})
