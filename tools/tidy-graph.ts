/** Rules about all sources together: folders that import each other, and crumbs. Pure. */
import { posix } from 'node:path'
import { isTest, type Remark, readImports } from './tidy-imports.ts'

/** A file and its text. */
export interface Source {
  path: string
  text: string
}

/** An import from one file of a package to another. */
export interface Arrow {
  importer: string
  imported: string
  line: number
  /** Loads the file when it is needed, which takes a file of its own. */
  dynamic: boolean
}

/** Finds the file that a specifier names, within the package of its importer. */
const resolveImport = (path: string, specifier: string, exists: (path: string) => boolean) => {
  const [root = ''] = /^packages\/[^/]+\/src\//.exec(path) ?? []
  const target = specifier.startsWith('./')
    ? posix.join(posix.dirname(path), specifier)
    : specifier.startsWith('#')
      ? root + specifier.slice(1)
      : undefined
  return target === undefined ? undefined : [target, `${target}.ts`].find(exists)
}

/** Lists the imports between the sources of each package, those of types too. Tests may import anything. */
export const listArrows = (sources: readonly Source[]): Arrow[] => {
  const inPackages = sources.filter(
    ({ path }) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !isTest(path),
  )
  const paths = new Set(inPackages.map(({ path }) => path))
  return inPackages.flatMap(({ path: importer, text }) =>
    readImports(text).flatMap(({ specifier, line, dynamic }) => {
      const imported = resolveImport(importer, specifier, path => paths.has(path))
      return imported === undefined || imported === importer ? [] : [{ importer, imported, line, dynamic }]
    }),
  )
}

/** The folders between which an arrow leads, and the room that has both. Undefined if one end is a file of the room. */
const readFolders = ({ importer, imported }: Arrow) => {
  const [upper, lower] = [importer.split('/'), imported.split('/')]
  const depth = upper.findIndex((part, index) => part !== lower[index])
  if (depth === upper.length - 1 || depth === lower.length - 1) return undefined
  return { room: upper.slice(0, depth).join('/'), upper: upper[depth] ?? '', lower: lower[depth] ?? '' }
}

type Floors = Map<string, Map<string, Arrow[]>>

/** Arrows between the folders of each room, by room, importer and imported folder. */
const groupByRoom = (arrows: readonly Arrow[]): Map<string, Floors> => {
  const rooms = new Map<string, Floors>()
  for (const arrow of arrows) {
    const ends = readFolders(arrow)
    if (!ends) continue
    const floors: Floors = rooms.get(ends.room) ?? new Map()
    const below = floors.get(ends.upper) ?? new Map<string, Arrow[]>()
    below.set(ends.lower, [...(below.get(ends.lower) ?? []), arrow])
    rooms.set(ends.room, floors.set(ends.upper, below))
  }
  return rooms
}

const isReachable = (floors: Floors, start: string, goal: string): boolean => {
  const reachable = new Set([start])
  // The loop also visits what is added meanwhile.
  for (const folder of reachable)
    for (const next of floors.get(folder)?.keys() ?? []) {
      if (next === goal) return true
      reachable.add(next)
    }
  return false
}

/** Reports folders of a room that import each other, directly or through others, at the imports of which there are fewest. */
export const folderRemarks = (arrows: readonly Arrow[]): Remark[] =>
  [...groupByRoom(arrows)].flatMap(([room, floors]) => {
    const circular = [...floors].flatMap(([upper, below]) =>
      [...below]
        .filter(([lower]) => isReachable(floors, lower, upper))
        .map(([lower, imports]) => ({ upper, lower, imports })),
    )
    const [fewest] = circular.toSorted((a, b) => a.imports.length - b.imports.length)
    if (!fewest) return []
    const { upper, lower, imports } = fewest
    const message = `the folders ${upper} and ${lower} of ${room} import each other: move what both need to the lower one, or take it as an argument`
    return imports.map(({ importer, line }) => ({ path: importer, line, message }))
  })

const crumbLines = 15
/** Migrations are a file each, and the contract's files are entries of the package. */
const mayBeSmall = /\/storage\/migrations\/|^packages\/contract\//

/** Reports files of few lines that only one neighbor imports. */
export const crumbRemarks = (sources: readonly Source[], arrows: readonly Arrow[]): Remark[] => {
  const arrowsByImported = Map.groupBy(arrows, ({ imported }) => imported)
  return sources.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1
    const [first, ...others] = arrowsByImported.get(path) ?? []
    const isImportedOnce = first !== undefined && others.every(({ importer }) => importer === first.importer)
    if (lines >= crumbLines || !isImportedOnce || first.dynamic || mayBeSmall.test(path)) return []
    if (posix.dirname(first.importer) !== posix.dirname(path)) return []
    const message = `${lines} lines for one neighbor: move them into ${posix.basename(first.importer)}`
    return [{ path, line: 1, message }]
  })
}
