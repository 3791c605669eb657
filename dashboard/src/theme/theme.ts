/** The theme: colors, type and sizes of DESIGN.md, for Mantine's components. */
import { createTheme, type MantineColorsTuple, type MantineTheme } from '@mantine/core'

/** A deep green; 7 is the filled button, 4 text on dark. */
const accent: MantineColorsTuple = [
  '#e9f7f1',
  '#d3ede1',
  '#a5dcc4',
  '#74caa5',
  '#4dba8b',
  '#35b07b',
  '#1f9c69',
  '#0b7a52',
  '#0b6e4f',
  '#085a40',
]

const gray: MantineColorsTuple = [
  '#f8f9fa',
  '#f1f3f4',
  '#e6e9eb',
  '#d6dadd',
  '#b9bfc4',
  '#8a9299',
  '#656d74',
  '#4a5157',
  '#31373c',
  '#1d2226',
]

const dark: MantineColorsTuple = [
  '#dfe3e6',
  '#b4bbc1',
  '#8f98a0',
  '#646d75',
  '#3a4249',
  '#2c3339',
  '#22282d',
  '#191e22',
  '#121619',
  '#0c0f11',
]

const system = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif'

/** A dialog that fades out: it is closed, and keys are the page's again. */
export const CLOSING = 'closing'
const closingClass = (isOpen: boolean | undefined) => (isOpen === false ? CLOSING : '')

export const theme = createTheme({
  colors: { accent, gray, dark },
  primaryColor: 'accent',
  primaryShade: 7,
  autoContrast: true,
  fontFamily: system,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.34', sm: '1.4', md: '1.43', lg: '1.5', xl: '1.4' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  defaultRadius: 'md',
  radius: { xs: '2px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
  headings: {
    fontFamily: system,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '16px', lineHeight: '24px' },
      h3: { fontSize: '14px', lineHeight: '20px' },
    },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    // Locking the scroll of the page would write a style element, which its policy refuses; page.css locks it.
    Modal: {
      defaultProps: { centered: true, lockScroll: false, transitionProps: { duration: 120 } },
      classNames: (_theme: MantineTheme, { opened }: { opened?: boolean }) => ({ content: closingClass(opened) }),
    },
    Popover: {
      classNames: (_theme: MantineTheme, { opened }: { opened?: boolean }) => ({ dropdown: closingClass(opened) }),
    },
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
