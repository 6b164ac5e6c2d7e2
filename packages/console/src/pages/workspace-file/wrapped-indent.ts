/** Lines that wrap go on below their text, so that the indentation of YAML stays readable on a phone. */
import type { Extension } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/** Deeper lines have the indent of this level. */
const levelMax = 10
const spacesPerLevel = 2
const levels = Array.from({ length: levelMax + 1 }, (_, level) => level)

/** The page's policy blocks style attributes. */
const marks = levels.map(level => Decoration.line({ class: `cm-indent-${level}` }))

const theme = EditorView.theme(
  Object.fromEntries(
    levels.map(level => {
      const indent = `${(level + 1) * spacesPerLevel}ch`
      return [`.cm-indent-${level}`, { paddingLeft: `calc(6px + ${indent})`, textIndent: `-${indent}` }]
    }),
  ),
)

const markLines = ({ state, visibleRanges }: EditorView): DecorationSet => {
  const ranges = []
  for (const { from, to } of visibleRanges)
    for (let { number } = state.doc.lineAt(from); number <= state.doc.lineAt(to).number; number++) {
      const line = state.doc.line(number)
      const level = Math.floor((/^ */.exec(line.text)?.[0].length ?? 0) / spacesPerLevel)
      const mark = marks[Math.min(level, levelMax)]
      if (mark) ranges.push(mark.range(line.from))
    }
  return Decoration.set(ranges, true)
}

const plugin = ViewPlugin.fromClass(
  class {
    lines: DecorationSet
    constructor(view: EditorView) {
      this.lines = markLines(view)
    }
    update({ view, docChanged, viewportChanged }: ViewUpdate) {
      if (docChanged || viewportChanged) this.lines = markLines(view)
    }
  },
  { decorations: ({ lines }) => lines },
)

export const wrappedIndent: Extension = [plugin, theme]
