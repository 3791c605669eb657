/** Light, dark, or as the system has it. */
import { SegmentedControl } from '@mantine/core'
import { texts, useTexts } from '../language/language.tsx'
import { type ColorScheme, useColorScheme } from './color-scheme.ts'

const colorTexts = texts({
  en: { colors: 'Colors', light: 'Light', dark: 'Dark', auto: 'System' },
  de: { colors: 'Farben', light: 'Hell', dark: 'Dunkel', auto: 'System' },
})

export function ColorChoice({ fullWidth = false }: { fullWidth?: boolean }) {
  const t = useTexts(colorTexts)
  const scheme = useColorScheme()
  return (
    <SegmentedControl
      fullWidth={fullWidth}
      size="xs"
      aria-label={t.colors}
      value={scheme.choice}
      onChange={(value) => scheme.choose(value as ColorScheme)}
      data={(['light', 'dark', 'auto'] as const).map((value) => ({ value, label: t[value] }))}
    />
  )
}
