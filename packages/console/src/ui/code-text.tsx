import type { ReactNode } from 'react'

/** A sentence in which names and values stand between backticks, as errors and checks of the server write them. */
export const CodeText = ({ children }: { children: string }) => {
  const parts: ReactNode[] = []
  let end = 0
  for (const { 0: quoted, 1: code, index } of children.matchAll(/`([^`]+)`/g)) {
    parts.push(children.slice(end, index), <code key={index}>{code}</code>)
    end = index + quoted.length
  }
  return [...parts, children.slice(end)]
}
