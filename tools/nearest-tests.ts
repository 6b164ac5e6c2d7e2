/**
 * Chooses the tests nearest to a change, for `--changed`. A started server imports nearly everything, so "imports something changed" would
 * choose nearly all tests. The full run has the others.
 */
import { basename, dirname } from 'node:path'
import { readImportGraph } from './changed-files.ts'
import { isUnitTest } from './test-files.ts'
import { findSubjectTests } from './test-subjects.ts'

/** A source that imports more files than this, directly or not, puts the server together. Its importers say nothing about a change. */
const assemblyImportsMin = 250
/** Counts as the number of imports of a test that reaches the source only through such parts. */
const importsOfHidden = 100
/** Unit tests for one changed source. They take about 3 seconds of processor time each. */
const unitTestsMax = 12
/** Other tests that reach the source without a started server. They take several times as long. */
const otherTestsMax = 3

const isSource = (path: string): boolean =>
  /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !/\.test\.ts$/.test(path)

type Graph = ReadonlyMap<string, readonly string[]>

const invert = (graph: Graph): Graph => {
  const inverted = new Map<string, string[]>()
  for (const [importer, targets] of graph)
    for (const target of targets) inverted.set(target, [...(inverted.get(target) ?? []), importer])
  return inverted
}

/** Returns everything that can be reached, with its number of steps. Does not go on from where `endsAt` holds. */
const measureSteps = (
  graph: Graph,
  start: readonly string[],
  endsAt: (path: string) => boolean = () => false,
): Map<string, number> => {
  const steps = new Map(start.map(path => [path, 0]))
  // A Map iterates over entries that are added during the iteration.
  for (const [path, count] of steps) {
    if (count > 0 && endsAt(path)) continue
    for (const next of graph.get(path) ?? []) if (!steps.has(next)) steps.set(next, count + 1)
  }
  return steps
}

const readWords = (path: string): string[] =>
  basename(path)
    .replace(/(\.test|\.suite)?\.tsx?$/, '')
    .split('-')

/** Its own test, tests beside it, then by number of imports. A word of its name decides between equals. */
const rankFor = (source: string, steps: ReadonlyMap<string, number>) => {
  const ownTest = source.replace(/\.tsx?$/, '.test.ts')
  const sourceWords = readWords(source)
  return (file: string): number => {
    const isBeside = dirname(file) === dirname(source)
    const sharesWord = readWords(file).some(word => sourceWords.includes(word))
    const imports = steps.get(file) ?? importsOfHidden
    return imports - (file === ownTest ? 10_000 : 0) - (isBeside ? 1_000 : 0) - (sharesWord ? 0.5 : 0)
  }
}

interface Nearest {
  files: string[]
  /** How many test files import something changed and are left to the full run. */
  leftOut: number
}

/**
 * Reads the imports of the checkout. Returns a function that selects those of `files` that are near to changed ones:
 *
 * - those that are changed, or import changed parts of tests/, tools/ or bench/;
 * - for a changed source of packages/, its own test, those beside it, and then the nearest: by the number of imports between them, not
 *   through the parts that put a server together;
 * - tests of a started server of its subject (test-subjects.ts).
 */
export const openNearestTests = (
  root: string,
  files: readonly string[],
): ((changed: readonly string[]) => Nearest) => {
  const graph = readImportGraph(root)
  const importers = invert(graph)
  const unitTests = new Set(files.filter(file => isUnitTest(root, file)))
  const assemblies = new Map<string, boolean>()
  const isAssembly = (path: string): boolean => {
    const cached = assemblies.get(path) ?? measureSteps(graph, [path]).size > assemblyImportsMin
    assemblies.set(path, cached)
    return cached
  }
  const selectForSource = (source: string): string[] => {
    const near = measureSteps(importers, [source], isAssembly)
    const anywhere = measureSteps(importers, [source])
    const isNear = (file: string) =>
      near.has(file) || (dirname(file) === dirname(source) && anywhere.has(file))
    const rank = rankFor(source, near)
    const ranked = files.filter(isNear).toSorted((a, b) => rank(a) - rank(b))
    return [
      ...ranked.filter(file => unitTests.has(file)).slice(0, unitTestsMax),
      ...ranked.filter(file => !unitTests.has(file)).slice(0, otherTestsMax),
    ]
  }
  return changed => {
    const otherPaths = changed.filter(path => !isSource(path))
    const selected = new Set([
      ...measureSteps(importers, otherPaths).keys(),
      ...changed.filter(isSource).flatMap(selectForSource),
      ...changed.flatMap(findSubjectTests),
    ])
    const affected = measureSteps(importers, changed)
    return {
      files: files.filter(file => selected.has(file)),
      leftOut: files.filter(file => affected.has(file) && !selected.has(file)).length,
    }
  }
}
