/** Import directions (ARCHITECTURE.md, Import directions), checked on the text of one file. Pure. */

/** A violation of a rule: its place, and what to do about it. */
export interface Remark {
  path: string
  line: number
  message: string
  /** Does not make the check fail. */
  isWarning?: boolean
}

interface Import {
  specifier: string
  line: number
  /** A type-only import, which is erased before the program runs. */
  typeOnly: boolean
  /** `import(…)`, which loads when it is needed, not with the file. */
  dynamic: boolean
}

const staticImport = /^[ \t]*(?:import|export)\s+(type\s+)?(?:[\w*\s{},$]+?\sfrom\s+)?'([^']+)'/gm
const dynamicImport = /\bimport\(\s*'([^']+)'/g

/** Finds the imports of a file that Biome has formatted. */
export const readImports = (text: string): Import[] => {
  const lineAt = (index: number) => text.slice(0, index).split('\n').length
  const imports: Import[] = []
  for (const match of text.matchAll(staticImport))
    imports.push({
      specifier: match[2] ?? '',
      line: lineAt(match.index + match[0].length),
      typeOnly: match[1] !== undefined,
      dynamic: false,
    })
  for (const match of text.matchAll(dynamicImport))
    imports.push({ specifier: match[1] ?? '', line: lineAt(match.index), typeOnly: false, dynamic: true })
  return imports
}

/** Packages that each package may import. No package lists `server`, because commands load it when they need it. */
const packageMayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  engine: [],
  client: ['contract'],
  server: ['contract', 'engine'],
  instantsearch: ['client'],
  cli: ['client', 'contract'],
  console: ['client', 'contract'],
}

/** Files and folders of packages/server/src. A row may import those of the rows below it, but not of its own row. */
const serverRows: readonly (readonly string[])[] = [
  ['move', 're-encrypt'],
  ['main', 'query-thread'],
  ['query-threads', 'configured-parts'],
  ['app'],
  ['parts'],
  ['app-settings'],
  ['config', 'startup'],
  ['backup'],
  ['documentation'],
  ['oauth', 'query', 'manage', 'documents'],
  ['embedding'],
  ['collections'],
  ['authz'],
  ['http'],
  ['telemetry'],
  ['usage', 'keys', 'accounts'],
  ['languages'],
  ['workers'],
  ['storage', 'engines'],
  ['errors', 'memory'],
]
/** Folders of a room. A row may import those of the rows below it, but not of its own row. */
const folderRows: Readonly<Record<string, readonly (readonly string[])[]>> = {
  oauth: [
    ['provider'],
    ['interactions'],
    ['tokens'],
    ['sessions'],
    ['clients', 'identity-provider'],
    ['requests'],
    ['pages'],
    ['library'],
  ],
}
/** Only files above `app` read settings and the data folder. Everything else receives values. */
const forStartOnly: readonly string[] = ['config', 'startup']

/** Tests and test support may import anything in their package. */
export const isTest = (path: string): boolean =>
  /(^|\/)(test-[^/]*|[^/]*\.(test|suite|crash)(\.[^/]*)?)\.ts$/.test(path) || /\/stand-in\//.test(path)

const readPackage = (path: string): string | undefined => /^packages\/([^/]+)\//.exec(path)?.[1]
/** Returns `http` for `packages/server/src/http/cors.ts`, and `app` for `packages/server/src/app.ts`. */
const serverPart = (path: string): string | undefined =>
  /^packages\/server\/src\/([^/.]+)(?:\/|\.ts$)/.exec(path)?.[1]

const wrongPackage = (path: string, { specifier, typeOnly, dynamic }: Import): string | undefined => {
  const target = /^@querent\/([^/]+)/.exec(specifier)?.[1]
  if (target === undefined) return undefined
  const importer = readPackage(path)
  if (importer === undefined || importer === target) return undefined
  if (target === 'server') {
    // The flags of `querent serve` come from the server's settings table.
    if (importer === 'cli' && (typeOnly || dynamic || specifier.startsWith('@querent/server/config/')))
      return undefined
    return "nobody imports the server: speak to it over HTTP through @querent/client, or in a command of the cli load it when it is needed, with import('…')"
  }
  if (isTest(path) || (packageMayImport[importer] ?? []).includes(target)) return undefined
  return `${importer} must not import ${target}: it may import ${packageMayImport[importer]?.join(', ') || 'no other package'}`
}

const wrongServerPart = (path: string, { specifier }: Import): string | undefined => {
  const importer = serverPart(path)
  const target = /^(?:#|\.\/)([^/.]+)/.exec(specifier)?.[1]
  if (importer === undefined || target === undefined || isTest(path)) return undefined
  // Within a folder, `./…` is a neighbor.
  const inFolder = path.split('/').length > 4
  if (specifier.startsWith('./') ? inFolder : target === importer) return undefined
  const row = (part: string) => serverRows.findIndex(parts => parts.includes(part))
  if (row(importer) < 0) return `ARCHITECTURE.md has no place for ${importer}: put the file where it belongs`
  if (forStartOnly.includes(target))
    return row(importer) < row('app')
      ? undefined
      : `only files above app read ${target}: take the values that you need as arguments`
  if (row(importer) < row(target)) return undefined
  return `${importer} must not import ${target}: hand it in as an argument, or move what both need to a part below`
}

const wrongFolder = (path: string, { specifier }: Import): string | undefined => {
  const [room = '', importer = ''] = path.replace('packages/server/src/', '').split('/')
  const rows = folderRows[room]
  if (!rows || readPackage(path) !== 'server' || isTest(path)) return undefined
  const [targetRoom, target = ''] = specifier.slice(1).split('/')
  if (!specifier.startsWith('#') || targetRoom !== room || target === importer) return undefined
  const row = (folder: string) => rows.findIndex(folders => folders.includes(folder))
  if (row(importer) < 0) return `tools/tidy-imports.ts has no row for ${room}/${importer}: add one`
  if (row(importer) < row(target)) return undefined
  return `${room}/${importer} must not import ${room}/${target}: hand it in as an argument, or move what both need to a folder below`
}

/** Reports the forbidden imports of one file. */
export const importRemarks = (path: string, text: string): Remark[] =>
  readImports(text).flatMap(imported => {
    const across = imported.specifier.startsWith('../')
      ? 'import by ./… within a folder and by #folder/… across folders'
      : undefined
    const message =
      across ?? wrongPackage(path, imported) ?? wrongServerPart(path, imported) ?? wrongFolder(path, imported)
    return message === undefined ? [] : [{ path, line: imported.line, message }]
  })
