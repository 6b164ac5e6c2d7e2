/** Code with colors for comments, texts, numbers and words of its language: enough for the short commands, JSON and programs that the console shows. */
import { Fragment } from 'react'

/** In this order: what begins first wins. A comment follows a blank, because `#` and `//` are parts of addresses too. */
const tokens =
  /(?<comment>(?<=^|\s)(?:#|\/\/).*$)|(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:)|^\s*[\w-]+(?=:\s))|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)|(?<word>\b(?:as|async|await|const|def|else|except|export|for|from|function|if|import|in|let|new|print|return|throw|try|var|while|with|curl|npx|true|false|null|None|True|False)\b)|(?<number>\b\d+(?:\.\d+)?\b)/gm
/** Longer texts stay plain, so that a reply of a megabyte is shown at once. */
const charactersMax = 50_000

export const ColoredCode = ({ children }: { children: string }) => {
  if (children.length > charactersMax) return children
  let end = 0
  const parts = [...children.matchAll(tokens)].map(match => {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ['']
    const plain = children.slice(end, match.index)
    end = match.index + match[0].length
    return (
      <Fragment key={match.index}>
        {plain}
        <span className={`code-${kind}`}>{match[0]}</span>
      </Fragment>
    )
  })
  return (
    <>
      {parts}
      {children.slice(end)}
    </>
  )
}
