/** The text filter of a list: what is typed reaches the address after a pause, and `/` leads here. */
import { MagnifyingGlassIcon } from '@heroicons/react/16/solid'
import { TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useShortcuts } from '../shortcuts.tsx'

const TYPING_MS = 250

export interface FilterFieldProps {
  label: string
  placeholder?: string
  value: string
  change(value: string): void
}

export function FilterField({ label, placeholder, value, change }: FilterFieldProps) {
  const t = useTexts(words)
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const latest = useRef(change)
  latest.current = change
  const lastValue = useRef(value)
  // Back and forward change the address without typing; what was typed since the last change stays.
  useEffect(() => {
    if (value !== lastValue.current) setText(value)
    lastValue.current = value
  }, [value])
  useEffect(() => {
    const next = text.trim()
    if (next === lastValue.current) return
    const timer = setTimeout(() => {
      lastValue.current = next
      latest.current(next)
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  useShortcuts([{ keys: '/', label: t.search, act: () => field.current?.focus() }])
  return (
    <TextInput
      ref={field}
      type="search"
      w="100%"
      maw={360}
      aria-label={label}
      placeholder={placeholder ?? label}
      leftSection={<MagnifyingGlassIcon width={16} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}
