/** Shows what a key or a value means: below the pointer, and with F1 at the cursor. */

import { type Extension, StateEffect, StateField } from '@codemirror/state'
import { type EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from '@codemirror/view'
import { t } from '#i18n/translate.ts'
import { schema } from './completion.ts'
import { type Explanation, explainWord } from './explanation.ts'

const showExplanation = ({ from, to, title, description, allowed }: Explanation): Tooltip => ({
  pos: from,
  end: to,
  above: true,
  create: () => {
    const dom = document.createElement('div')
    dom.className = 'cm-explanation'
    // Screen readers say it.
    dom.role = 'status'
    const heading = document.createElement('strong')
    heading.textContent = title
    const body = document.createElement('div')
    body.textContent = description
    dom.append(heading, body)
    if (allowed) {
      const values = document.createElement('div')
      values.textContent = t('Allowed: {values}', { values: allowed })
      dom.append(values)
    }
    return { dom }
  },
})

const explain = ({ state }: EditorView, position: number): Tooltip | null => {
  const explanation = explainWord(schema, state.doc.toString(), position)
  return explanation ? showExplanation(explanation) : null
}

const setTooltip = StateEffect.define<Tooltip | null>()

/** The explanation that F1 opened, until the cursor moves. */
const tooltipAtCursor = StateField.define<Tooltip | null>({
  create: () => null,
  update(tooltip, { effects, docChanged, selection }) {
    for (const effect of effects) if (effect.is(setTooltip)) return effect.value
    return docChanged || selection ? null : tooltip
  },
  provide: field => showTooltip.from(field),
})

const openAtCursor = (view: EditorView): boolean => {
  view.dispatch({ effects: setTooltip.of(explain(view, view.state.selection.main.head)) })
  return true
}
const close = (view: EditorView): boolean => {
  if (view.state.field(tooltipAtCursor) === null) return false
  view.dispatch({ effects: setTooltip.of(null) })
  return true
}

export const explanations: Extension = [
  tooltipAtCursor,
  hoverTooltip(explain),
  keymap.of([
    { key: 'F1', run: openAtCursor },
    { key: 'Escape', run: close },
  ]),
]
