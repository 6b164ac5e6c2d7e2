/** Reads the texts of the console from its sources, for the tests of this folder. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'

/** A part of a syntax tree (ESTree with JSX). */
interface Node {
  type: string
  start: number
  [key: string]: unknown
}

export interface SourceText {
  /** Path below src, with the line. */
  place: string
  text: string
}

export interface SourceTexts {
  /** Texts of `t` and `tNodes`, and the plural of `tCount`, whose value here is its singular. */
  used: ReadonlyMap<string, string | undefined>
  /** Texts that no function of translate.ts translates. */
  unwrapped: readonly SourceText[]
  /** Calls whose text is no literal. */
  computed: readonly SourceText[]
}

/** Attributes and properties that people read. */
const labels = new Set([
  'label',
  'title',
  'description',
  'placeholder',
  'aria-label',
  'aria-description',
  'question',
  'caption',
  'submit',
  'heading',
  'never',
  'error',
  'alt',
  'legend',
  'nothingFoundMessage',
])

const sources = join(import.meta.dirname, '..')

/** Reads all sources, except tests and catalogs. */
export const readSourceTexts = (): SourceTexts => {
  const usedTexts = new Map<string, string | undefined>()
  const unwrapped: SourceText[] = []
  const computed: SourceText[] = []
  for (const path of globSync('**/*.{ts,tsx}', { cwd: sources })) {
    if (/\.test\.tsx?$/.test(path) || path.startsWith('i18n/')) continue
    const source = readFileSync(join(sources, path), 'utf8')
    const place = ({ start }: Node) => `${path}:${source.slice(0, start).split('\n').length}`
    const report = (list: SourceText[], node: Node, text: string) => list.push({ place: place(node), text })
    const visit = (node: Node): void => {
      if (node.type === 'CallExpression') readCall(node, usedTexts, text => report(computed, node, text))
      for (const text of readUnwrapped(node)) report(unwrapped, node, text)
      if (isSentence(node)) report(unwrapped, node, readQuasi(node))
      for (const child of children(node)) if (!isTranslated(node, child)) visit(child)
    }
    // The parser's tree has more types than are read here.
    visit(parseSync(path, source, { lang: 'tsx' }).program as unknown as Node)
  }
  return { used: usedTexts, unwrapped, computed }
}

const readCall = (
  { callee, arguments: values }: Node,
  used: Map<string, string | undefined>,
  report: (text: string) => void,
): void => {
  const name = isNode(callee) ? callee.name : undefined
  if (!isTranslation(name)) return
  const [first, second, third] = (values as Node[]).map(readString)
  if (name !== 'tCount') {
    if (first === undefined) report(name)
    else used.set(first, undefined)
  } else if (second === undefined || third === undefined) report(name)
  else used.set(third, second)
}

/** Texts of JSX, and of attributes and properties that people read. */
const readUnwrapped = (node: Node): string[] => {
  if (node.type === 'JSXText')
    return [String(node.value).trim()].filter(text => hasWord(text) && !isCode(text))
  if (node.type === 'JSXElement' || node.type === 'JSXFragment')
    return (node.children as Node[]).flatMap(child =>
      child.type === 'JSXExpressionContainer' ? readTexts(child.expression) : [],
    )
  if (node.type === 'JSXAttribute' || (node.type === 'Property' && node.kind === 'init')) {
    const key = (node.type === 'JSXAttribute' ? node.name : node.key) as Node
    if (!labels.has(String(key.name ?? key.value))) return []
    const value = node.value as Node | null
    return readTexts(value?.type === 'JSXExpressionContainer' ? value.expression : value)
  }
  return []
}

/** Literal texts that an expression may be. */
const readTexts = (value: unknown): string[] => {
  if (!isNode(value)) return []
  const text = readString(value)
  if (text !== undefined) return hasWord(text) && !isCode(text) ? [text] : []
  if (value.type === 'TemplateLiteral') {
    const parts = (value.quasis as Node[]).map(part => (part.value as { cooked: string }).cooked)
    return parts.some(part => hasWord(part) && !isCode(part)) ? [parts.join('…')] : []
  }
  if (value.type === 'ConditionalExpression') return [value.consequent, value.alternate].flatMap(readTexts)
  if (value.type === 'LogicalExpression')
    return [value.operator === '&&' ? undefined : value.left, value.right].flatMap(readTexts)
  return []
}

const readString = (node: Node | undefined): string | undefined =>
  node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined

const hasWord = (text: string): boolean => /\p{L}{2}/u.test(text)

/** Whether the literal is the text of a translation, or the cause of an impossible state, which no person reads. */
const isTranslated = (parent: Node, { type }: Node): boolean => {
  const name = isNode(parent.callee) ? parent.callee.name : undefined
  if (parent.type === 'CallExpression') return type === 'Literal' && isTranslation(name)
  return parent.type === 'NewExpression' && name === 'Error' && type === 'Literal'
}

const isTranslation = (name: unknown): name is 't' | 'tNodes' | 'tCount' =>
  name === 't' || name === 'tNodes' || name === 'tCount'

/** Whether a literal, wherever it stands, begins as a sentence: a capital, and a second word. */
const isSentence = (node: Node): boolean => {
  const text = readQuasi(node)
  return /^\p{Lu}[\p{L}']+ \p{L}/u.test(text) && !isCode(text)
}

const readQuasi = (node: Node): string =>
  readString(node) ?? (node.type === 'TemplateElement' ? (node.value as { cooked: string }).cooked : '')

/** Addresses, names and keys are the same in every language. */
const isCode = (text: string): boolean =>
  /^((\/|https?:)\S*|QUERENT_[\s\S]*|querent judge|Querent|JSON|Enter|Esc|Ctrl K|⌘ K|[a-z]+(\.[A-Za-z]+)+|[\w.,]*\d[\w.,]*)$/.test(
    text.trim(),
  )

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value

const children = (node: Node): Node[] => Object.values(node).flat().filter(isNode)
