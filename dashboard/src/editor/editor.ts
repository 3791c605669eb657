/**
 * The code editor, loaded when the first one is shown. It lives in a shadow root: there its styles are constructed
 * sheets, which the policy of the page permits, and not style elements.
 */
import { autocompletion, type CompletionSource } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { linter, lintGutter } from '@codemirror/lint'
import { unifiedMergeView } from '@codemirror/merge'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export interface EditorOptions {
  host: HTMLElement
  value: string
  label: string
  language: 'json' | 'text'
  isDark: boolean
  readOnly?: boolean | undefined
  /** Shows what differs from it. */
  original?: string | undefined
  completions?: CompletionSource | undefined
  change?(value: string): void
}

export interface Editor {
  setValue(value: string): void
  focus(): void
  destroy(): void
}

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-key)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-value)' },
  { tag: tags.comment, color: 'var(--ink-3)' },
])

const look = (isDark: boolean) =>
  EditorView.theme(
    {
      '&': { fontSize: '13px', color: 'inherit', backgroundColor: 'transparent', maxHeight: 'inherit', height: '100%' },
      '&.cm-focused': { outline: 'none' },
      '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px', overflow: 'auto' },
      '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-3)', border: 'none' },
      '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
      '.cm-cursor': { borderLeftColor: 'var(--ink)' },
      '.cm-collapsedLines': { background: 'var(--sunk)', color: 'var(--ink-3)' },
      '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"⋯"' },
      '.cm-tooltip': {
        backgroundColor: 'var(--raise)',
        border: '1px solid var(--line-2)',
        color: 'var(--ink)',
      },
    },
    { dark: isDark },
  )

const parseErrors = jsonParseLinter()
/** An empty field is an absent value. */
const jsonErrors = (view: EditorView) => (view.state.doc.toString().trim() === '' ? [] : parseErrors(view))

export function createEditor(options: EditorOptions): Editor {
  const { host, value, label, language, isDark, readOnly = false, original, completions } = options
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true })
  const parent = document.createElement('div')
  parent.style.maxHeight = 'inherit'
  parent.style.height = '100%'
  root.replaceChildren(parent)
  const listening = new Compartment()
  const extensions: Extension[] = [
    lineNumbers(),
    drawSelection(),
    bracketMatching(),
    EditorView.lineWrapping,
    look(isDark),
    syntaxHighlighting(highlight),
    // Named as focusable, so that tools see how the keyboard scrolls it.
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorState.readOnly.of(readOnly),
    // Tab leaves the editor, as it leaves every other field; Mod-Enter is the page's.
    keymap.of([...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'), ...historyKeymap]),
    ...(language === 'json' ? [json()] : []),
    ...(readOnly ? [EditorView.editable.of(true)] : [history()]),
    ...(language === 'json' && !readOnly ? [linter(jsonErrors), lintGutter()] : []),
    ...(completions ? [autocompletion({ override: [completions] })] : []),
    ...(original === undefined
      ? []
      : [unifiedMergeView({ original, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } })]),
    listening.of([]),
  ]
  const view = new EditorView({ root, parent, state: EditorState.create({ doc: value, extensions }) })
  const listener = EditorView.updateListener.of((update) => {
    if (update.docChanged) options.change?.(update.state.doc.toString())
  })
  view.dispatch({ effects: listening.reconfigure(listener) })
  return {
    setValue(next) {
      if (next === view.state.doc.toString()) return
      // Not a change of the reader's.
      view.dispatch({ effects: listening.reconfigure([]) })
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
      view.dispatch({ effects: listening.reconfigure(listener) })
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}
