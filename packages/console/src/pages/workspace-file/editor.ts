/** A text editor for the workspace file: CodeMirror with completion, explanations, search and folding. */
import { autocompletion } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { linter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import type { ErrorPlace } from '@querent/contract/errors'
import { nonce } from '#api/addresses.ts'
import { translateFault } from '#i18n/translate.ts'
import { completeWorkspaceFile } from './completion.ts'
import { highlightStyle, theme } from './editor-theme.ts'
import { explanations } from './hover.ts'
import { wrappedIndent } from './wrapped-indent.ts'

/** Chromium keeps the style of replaced text with style attributes, which the page's policy blocks. */
const replaceSelection = (event: InputEvent, view: EditorView): boolean => {
  if (event.inputType !== 'insertText' || event.data === null || view.state.selection.main.empty) return false
  view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type' })
  event.preventDefault()
  return true
}

/** The editor as the page uses it. */
export interface Editor {
  /** Changes only the parts that differ, and keeps the cursor. */
  replace(text: string): void
  /** Underlines the errors; an empty list clears them. */
  mark(places: readonly ErrorPlace[]): void
  goTo(place: ErrorPlace): void
  /** Selects from one character to another, and takes the focus. */
  select(from: number, to: number): void
  close(): void
}

/** Height of the errors that stay in sight below the text, in pixels: the cursor is never behind them. */
const measureErrors = () => ({
  bottom: document.querySelector('.errors-in-sight')?.getBoundingClientRect().height ?? 0,
})

interface EditorOptions {
  text: string
  label: string
  onChange: (text: string) => void
  /** Ctrl-S, or Command-S. */
  onSave: () => void
}

export const openEditor = (parent: HTMLElement, options: EditorOptions): Editor => {
  const view = openView(parent, options)
  return {
    replace: text => view.dispatch({ changes: computeChange(view.state.doc.toString(), text) }),
    mark: places => markPlaces(view, places),
    goTo(place) {
      const anchor = toPosition(view, place)
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
      view.focus()
    },
    select(from, to) {
      view.dispatch({ selection: { anchor: from, head: to } })
      view.focus()
    },
    close: () => view.destroy(),
  }
}

/** Returns the change between the common start and the common end of two texts. */
const computeChange = (before: string, after: string) => {
  const shorter = Math.min(before.length, after.length)
  let from = 0
  while (from < shorter && before[from] === after[from]) from++
  let end = 0
  while (end < shorter - from && before.at(-1 - end) === after.at(-1 - end)) end++
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) }
}

const openView = (parent: HTMLElement, { text, label, onChange, onSave }: EditorOptions): EditorView => {
  const save = () => {
    onSave()
    return true
  }
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        explanations,
        EditorView.scrollMargins.of(measureErrors),
        autocompletion({ override: [completeWorkspaceFile], icons: false }),
        search({ top: true }),
        highlightSelectionMatches(),
        codeFolding(),
        foldGutter({ openText: '⌄', closedText: '›' }),
        // Tab leaves the editor, as it does every field (WCAG 2.2, 2.1.2).
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: save },
          ...defaultKeymap,
          ...historyKeymap,
          ...searchKeymap,
          ...foldKeymap,
          ...lintKeymap,
        ]),
        EditorView.cspNonce.of(nonce),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'off' }),
        EditorView.domEventHandlers({ beforeinput: replaceSelection }),
        EditorView.updateListener.of(update => {
          if (update.docChanged) onChange(update.state.doc.toString())
        }),
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        yaml(),
        syntaxHighlighting(highlightStyle),
        // Loads the styles of `setDiagnostics` from the start.
        linter(null),
        // Nothing scrolls by itself: the page does.
        EditorView.lineWrapping,
        wrappedIndent,
        theme,
      ],
    }),
  })
}

/** Converts a place of the API, counted from 1, to a position in the text. */
const toPosition = ({ state: { doc } }: EditorView, { line = 1, column = 1 }: ErrorPlace): number => {
  const docLine = doc.line(Math.min(Math.max(1, line), doc.lines))
  return Math.min(docLine.from + column - 1, docLine.to)
}

const markPlaces = (view: EditorView, places: readonly ErrorPlace[]): void => {
  const diagnostics = places.map(place => {
    const from = toPosition(view, place)
    const { to: lineEnd } = view.state.doc.lineAt(from)
    const { length } = readWord(view.state.sliceDoc(from, lineEnd))
    return { from, to: from + length, severity: 'error' as const, message: translateFault(place) }
  })
  view.dispatch(setDiagnostics(view.state, diagnostics))
}

/** Returns the key or the value that the text begins with, of a mapping or list to its closing bracket. */
const readWord = (text: string): string =>
  /^(?:"[^"]*"|'[^']*'|\{[^{}]*\}|\[[^[\]]*\]|[^\s,:{}[\]"'](?:[^,:{}[\]#]*[^\s,:{}[\]#])?)/.exec(
    text,
  )?.[0] ?? text.slice(0, 1)
