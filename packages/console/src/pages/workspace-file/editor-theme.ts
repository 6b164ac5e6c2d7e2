/** The editor in the colors of the console. */
import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export const theme = EditorView.theme({
  '&': {
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-md)',
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    fontSize: 'var(--mantine-font-size-sm)',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '1px' },
  '.cm-scroller': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    minHeight: '16rem',
    borderRadius: 'inherit',
  },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--mantine-primary-color-light-hover)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-md)',
    boxShadow: 'var(--mantine-shadow-md)',
    maxWidth: 'min(36rem, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    maxHeight: '16rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.25rem 0.5rem', lineHeight: '1.4' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: 'var(--mantine-color-white)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'var(--mantine-color-dimmed)', marginLeft: '1rem' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-tooltip.cm-completionInfo': { padding: '0.5rem 0.75rem' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: 'bold' },
  '.cm-explanation': { padding: '0.5rem 0.75rem', fontSize: 'var(--mantine-font-size-sm)' },
  '.cm-panels': { backgroundColor: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--mantine-color-default-border)' },
  '.cm-panel.cm-search': { padding: '0.5rem 2.5rem 0.5rem 0.75rem' },
  '.cm-panel.cm-search label': { fontSize: 'var(--mantine-font-size-sm)' },
  '.cm-panel.cm-search [name=close]': { width: '2rem', height: '2rem', fontSize: '1.25rem' },
  '.cm-textfield': {
    fontSize: 'var(--mantine-font-size-sm)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-sm)',
    padding: '0.25rem 0.5rem',
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
  },
  '.cm-button': {
    fontSize: 'var(--mantine-font-size-sm)',
    backgroundImage: 'none',
    backgroundColor: 'var(--mantine-color-default)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-sm)',
    padding: '0.25rem 0.5rem',
    color: 'var(--mantine-color-text)',
  },
  '.cm-searchMatch': {
    backgroundColor: 'var(--mantine-color-yellow-light)',
    outline: '1px solid var(--mantine-color-yellow-filled)',
  },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--mantine-primary-color-light-hover)' },
  '.cm-foldGutter span': { padding: '0 0.25rem', cursor: 'pointer' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--mantine-color-default)',
    border: '1px solid var(--mantine-color-default-border)',
    color: 'var(--mantine-color-text)',
  },
})

/** Keys stand out; comments stay behind. */
export const highlightStyle = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--mantine-color-anchor)' },
  { tag: [tags.lineComment, tags.comment], color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
])
