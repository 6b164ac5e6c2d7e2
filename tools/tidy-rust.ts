/**
 * Checks that the modules of a Rust crate import each other in one direction, and their folders too (ARCHITECTURE.md, Import directions).
 * Reads the text of `use` declarations and of paths that begin with `crate`, `super` or `self`. Pure.
 */
import type { Remark } from './tidy-imports.ts'

/** The path of a module from the root of the crate, such as `search::text::query_word`; '' for the root. */
type Module = string

interface Source {
  path: string
  text: string
}

/** The imports of each module. */
type Graph = Map<Module, Set<Module>>

/** Returns `search::text` for `…/src/search/text/mod.rs`. */
const readModule = (path: string): Module =>
  path
    .replace(/^.*?\/src\//, '')
    .replace(/(^|\/)(mod|lib)?\.rs$|\.rs$/, '')
    .replaceAll('/', '::')

const withoutTestsAndComments = (text: string): string =>
  text.replace(/^#\[cfg\(test\)\]\n(pub )?mod \w+ \{\n[\s\S]*?^\}\n/gm, '').replace(/\/\/[^\n]*/g, '')

/** Splits at the commas outside of braces. */
const splitList = (list: string): string[] => {
  const items = ['']
  let depth = 0
  for (const character of list) {
    if (character === '{') depth += 1
    if (character === '}') depth -= 1
    if (character === ',' && depth === 0) items.push('')
    else items.push(`${items.pop()}${character}`)
  }
  return items.filter(item => item !== '')
}

/** Returns `a::b` and `a::c` for `a::{b, c}`. */
const expandTree = (tree: string): string[] => {
  const [, prefix, list] = /^([^{]*)\{(.*)\}$/.exec(tree) ?? []
  return list === undefined ? [tree] : splitList(list).flatMap(item => expandTree(`${prefix}${item}`))
}

const readPaths = (text: string): string[] => {
  const declarations = [...text.matchAll(/\buse\s+([^;]+);/g)]
  const declared = declarations.flatMap(([, tree = '']) =>
    expandTree(tree.replace(/\s+as\s+\w+/g, '').replace(/\s/g, '')),
  )
  const rest = text.replace(/\buse\s+[^;]+;/g, '')
  return [...declared, ...(rest.match(/\b(?:crate|super|self)(?:::\w+)+/g) ?? [])]
}

/** Returns the longest beginning of a path that is a module. */
const resolvePath = (path: string, importer: Module, modules: ReadonlySet<Module>): Module | undefined => {
  const names = path.split('::')
  let base = importer === '' ? [] : importer.split('::')
  if (names[0] === 'crate') base = []
  else if (names[0] !== 'super' && names[0] !== 'self' && !modules.has([...base, names[0]].join('::')))
    return undefined
  while (/^(crate|super|self)$/.test(names[0] ?? '')) if (names.shift() === 'super') base.pop()
  const target = [...base, ...names]
  while (!modules.has(target.join('::'))) target.pop()
  return target.join('::')
}

const readGraph = (sources: readonly Source[]): Graph => {
  const modules = new Set(sources.map(({ path }) => readModule(path)))
  const graph: Graph = new Map()
  for (const { path, text } of sources) {
    const importer = readModule(path)
    const targets = readPaths(withoutTestsAndComments(text)).map(target =>
      resolvePath(target, importer, modules),
    )
    graph.set(
      importer,
      new Set(targets.flatMap(target => (target === undefined || target === importer ? [] : [target]))),
    )
  }
  return graph
}

/** Follows imports from one module. Returns the way back to it, if there is one. */
const findCircle = (graph: Graph, start: Module): Module[] | undefined => {
  const previous = new Map<Module, Module>()
  const queue = [start]
  for (const module of queue)
    for (const target of graph.get(module) ?? []) {
      if (target === start) {
        const circle = [module]
        while (circle[0] !== start) circle.unshift(previous.get(circle[0] ?? '') ?? start)
        return circle
      }
      if (previous.has(target)) continue
      previous.set(target, module)
      queue.push(target)
    }
  return undefined
}

/** Makes one node of each folder and each file beside them, for the folder `parent`. */
const foldChildren = (graph: Graph, parent: Module): Graph => {
  const prefix = parent === '' ? '' : `${parent}::`
  const child = (module: Module) =>
    module.startsWith(prefix) && module !== ''
      ? `${prefix}${module.slice(prefix.length).split('::')[0]}`
      : undefined
  const folded: Graph = new Map()
  for (const [module, targets] of graph) {
    const importer = child(module)
    if (importer === undefined) continue
    const edges = folded.get(importer) ?? new Set()
    for (const target of targets) {
      const imported = child(target)
      if (imported !== undefined && imported !== importer) edges.add(imported)
    }
    folded.set(importer, edges)
  }
  return folded
}

/** Reports the shortest circle through each module or folder that imports itself through others, one for each set of them. */
export const circleRemarks = (sources: readonly Source[]): Remark[] => {
  const graph = readGraph(sources)
  const pathByModule = new Map(sources.map(({ path }) => [readModule(path), path]))
  const parents = new Set([...graph.keys()].map(module => module.split('::').slice(0, -1).join('::')))
  const remarks: Remark[] = []
  const reported = new Set<Module>()
  for (const level of [graph, ...[...parents].map(parent => foldChildren(graph, parent))])
    for (const module of level.keys()) {
      const circle = reported.has(module) ? undefined : findCircle(level, module)
      if (circle === undefined) continue
      for (const member of circle) reported.add(member)
      const path = pathByModule.get(module) ?? sources[0]?.path ?? ''
      const way = [...circle, module].map(member => member || 'the root').join(' → ')
      const message = `${way}: move what both need to a module below, or pass a function as an argument`
      remarks.push({ path, line: 1, message })
    }
  return remarks
}
