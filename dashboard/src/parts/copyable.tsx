/** An id that is shortened for the eye, whole in the title, and copied by a click. */
import { CheckIcon, DocumentDuplicateIcon } from '@heroicons/react/16/solid'
import { useEffect, useState } from 'react'
import { useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import styles from './copyable.module.css'

const SHOWN_MAX = 22
const CONFIRMED_MS = 1_500

export function CopyableId({ id, whole = false }: { id: string; whole?: boolean }) {
  const t = useTexts(words)
  const { isCopied, copy } = useCopy()
  return (
    <span className={styles.id}>
      <code title={id}>{whole ? id : shorten(id)}</code>
      <button type="button" aria-label={`${isCopied ? t.copied : t.copy}: ${id}`} onClick={() => void copy(id)}>
        {isCopied ? <CheckIcon aria-hidden /> : <DocumentDuplicateIcon aria-hidden />}
      </button>
    </span>
  )
}

export function useCopy() {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return {
    isCopied,
    async copy(text: string) {
      await copyText(text)
      setCopied(true)
    },
  }
}

export const shorten = (id: string) => (id.length <= SHOWN_MAX ? id : `${id.slice(0, 12)}…${id.slice(-6)}`)

/** Over plain HTTP browsers have no clipboard for pages; a selected field is copied there. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'visually-hidden'
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}
