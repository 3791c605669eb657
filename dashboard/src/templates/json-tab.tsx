/** The content as Elemental JSON, in step with the blocks. */
import { texts, useTexts } from '../language/language.tsx'
import { JsonDocument } from '../parts/code/json-document.tsx'
import { blocksOf, readElements } from './blocks/blocks.ts'
import { contentOf, type Draft } from './draft/draft-store.ts'

const jsonTexts = texts({
  en: {
    label: 'Content as JSON',
    syntax: 'This is not valid JSON yet; the mark in the margin shows where. The last valid content is kept.',
    elements: 'This is JSON, but no content: it needs "elements", a list of objects with a "type".',
  },
  de: {
    label: 'Inhalt als JSON',
    syntax: 'Das ist noch kein gültiges JSON; die Marke am Rand zeigt, wo. Der letzte gültige Inhalt gilt weiter.',
    elements: 'Das ist JSON, aber kein Inhalt: Es braucht "elements", eine Liste von Objekten mit "type".',
  },
})

interface JsonTabProps {
  draft: Draft
  change(blocks: Draft['blocks'], name?: string): void
  isReadOnly: boolean
}

export function JsonTab({ draft, change, isReadOnly }: JsonTabProps) {
  const t = useTexts(jsonTexts)
  return (
    <JsonDocument
      label={t.label}
      json={jsonOf(draft)}
      isReadOnly={isReadOnly}
      minHeight="320px"
      maxHeight="70vh"
      read={(text) => {
        const elements = readElements(text)
        if ('error' in elements) return { error: t[elements.error] }
        const blocks = blocksOf(elements, draft.blocks)
        return { json: jsonOf({ ...draft, blocks }), apply: () => change(blocks, 'json') }
      }}
    />
  )
}

const jsonOf = (draft: Draft) => JSON.stringify(contentOf(draft), null, 2)
