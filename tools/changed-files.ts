/** Finds what changed, and which file imports which. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { readImports } from './tidy-imports.ts'

const git = (root: string, ...args: string[]): string[] =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

/** Returns paths that changed since the branch left `base`, committed or not, relative to the checkout. */
export const changedFiles = (root: string, base: string): string[] => {
  const fork = git(root, 'merge-base', base, 'HEAD')[0] ?? base
  return [
    ...new Set([
      ...git(root, 'diff', '--name-only', fork),
      ...git(root, 'ls-files', '--others', '--exclude-standard'),
    ]),
  ]
}

/**
 * Returns the commit that CI compares with: where the branch left main, or the commit before on main itself. Returns undefined if the
 * checkout has one commit only.
 */
export const findBase = (root: string): string | undefined => {
  const find = (...args: string[]): string | undefined => {
    try {
      return execFileSync('git', args, {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim()
    } catch {
      return undefined
    }
  }
  const head = find('rev-parse', 'HEAD')
  const forks = ['origin/main', 'main'].map(branch => find('merge-base', branch, 'HEAD'))
  return forks.find(fork => fork !== undefined && fork !== head) ?? find('rev-parse', '--verify', 'HEAD~1')
}

interface Manifest {
  name?: string
  imports?: Record<string, string>
  exports?: Record<string, string>
}
/** Returns the folder of the nearest package.json, relative to the checkout, and its content. */
const openManifests = (root: string) => {
  const manifests = new Map<string, Manifest | undefined>()
  const read = (folder: string): Manifest | undefined => {
    if (!manifests.has(folder)) {
      const path = join(root, folder, 'package.json')
      // We write this file.
      manifests.set(
        folder,
        existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : undefined,
      )
    }
    return manifests.get(folder)
  }
  return (file: string): [folder: string, manifest: Manifest] => {
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
      const manifest = read(folder)
      if (manifest) return [folder, manifest]
    }
    return ['.', read('.') ?? {}]
  }
}

/** Files that a source names by its own address, to load them later or in another thread. */
const ownAddress = /new URL\('(\.[^']+)', import\.meta\.url\)/g

const expand = (patterns: Record<string, string> = {}, specifier: string): string | undefined => {
  for (const [key, target] of Object.entries(patterns)) {
    if (key === specifier) return target
    const [prefix, suffix] = key.split('*')
    if (suffix === undefined || prefix === undefined || !specifier.startsWith(prefix)) continue
    return target.replace('*', specifier.slice(prefix.length))
  }
  return undefined
}

/** Returns the direct imports of each TypeScript file of the checkout, relative to it. Leaves out packages outside of it. */
export const readImportGraph = (root: string): Map<string, string[]> => {
  const nearestManifest = openManifests(root)
  const resolveImport = (importer: string, specifier: string): string | undefined => {
    if (specifier.startsWith('.')) return normalize(join(dirname(importer), specifier))
    if (specifier.startsWith('#')) {
      const [folder, { imports }] = nearestManifest(importer)
      const target = expand(imports, specifier)
      return target === undefined ? undefined : normalize(join(folder, target))
    }
    const [, name, rest] = /^@querent\/([^/]+)(\/.*)?$/.exec(specifier) ?? []
    if (name === undefined) return undefined
    const folder = join('packages', name)
    const target = expand(nearestManifest(join(folder, 'package.json'))[1].exports, `.${rest ?? ''}`)
    return target === undefined ? undefined : normalize(join(folder, target))
  }
  const paths = globSync(['packages/*/src/**/*.{ts,tsx}', '{tests,tools,bench}/**/*.ts'], { cwd: root })
  return new Map(
    paths.map(path => {
      const text = readFileSync(join(root, path), 'utf8')
      const specifiers = [
        ...readImports(text).map(({ specifier }) => specifier),
        ...[...text.matchAll(ownAddress)].map(([, specifier = '']) => specifier),
      ]
      const targets = specifiers.map(specifier => resolveImport(path, specifier))
      return [path.replaceAll(sep, '/'), targets.filter(target => target !== undefined)]
    }),
  )
}
