/**
 * `npm run build`: builds the packages for publishing, and tests them. It stages each package in dist/, compiles its TypeScript to
 * JavaScript and types, points `exports` and `imports` there, and packs it. The addon of this platform gets its own package. It then
 * installs the tarballs into an empty project without Rust and runs the command line. From that project it writes the software bill of
 * materials and the table of licences. The checkout's own packages do not change, because they run from source. `--addon` only packs the
 * addon of this platform, and `--libraries` (`npm run pack`) only what applications use.
 */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { addonNameFor, packageNameFor, platform, platforms } from '@querent/engine/platform'
import {
  addBundledPackages,
  addCrates,
  addWordLists,
  type BillOfMaterials,
  type BundledPackage,
  type CargoMetadata,
  reportLicences,
} from './bill-of-materials.ts'
import { isTest } from './tidy-imports.ts'

const root = join(import.meta.dirname, '..')
const stage = join(root, 'dist')
const tarballs = join(stage, 'tarballs')
/** In the order of their type dependencies. */
const packages = ['contract', 'engine', 'client', 'instantsearch', 'server', 'cli'] as const
const libraries = ['contract', 'client', 'instantsearch'] as const
type PackageName = (typeof packages)[number]

interface Manifest {
  name: string
  version: string
  description?: string
  license?: string
  type?: string
  files?: string[]
  exports?: unknown
  imports?: unknown
  scripts?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const npm = (args: string[], folder: string, input = ''): string =>
  execFileSync('npm', args, { cwd: folder, encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'inherit'] })

/** Maps `./src/a.ts` to `./dist/a.js`, and `./index.ts` to `./index.js`, in every string of a manifest's map. Other files keep their place. */
const toJavaScript = (value: unknown): unknown => {
  if (typeof value === 'string')
    return value.endsWith('.ts') ? value.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '.js') : value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJavaScript(inner)]))
}

/** Includes the addon's sources. If no prebuilt package matches, the installation builds it. */
const engineFiles = ['*.js', '*.d.ts', 'Cargo.toml', 'Cargo.lock', 'build.rs', 'src']

/**
 * npm installs the package whose os, cpu and libc match. The checkout's manifest does not list them, because it builds the addon from
 * source.
 */
const addonPackages = ({ version }: Manifest) =>
  Object.fromEntries(platforms.map(({ name }) => [packageNameFor(name), version]))

const publishedManifest = (name: PackageName, manifest: Manifest): Manifest => ({
  ...manifest,
  files: name === 'engine' ? engineFiles : (manifest.files ?? ['dist']),
  ...(name === 'engine' ? { optionalDependencies: addonPackages(manifest) } : {}),
  ...(manifest.exports === undefined ? {} : { exports: toJavaScript(manifest.exports) }),
  ...(manifest.imports === undefined ? {} : { imports: toJavaScript(manifest.imports) }),
})

const readManifest = (name: PackageName | 'console'): Manifest =>
  // npm has read it before, so it is a manifest.
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest

/** Copies tracked and new files, compiles them, and leaves a folder for `npm pack`. */
const stagePackage = (name: PackageName): string => {
  const source = join(root, 'packages', name)
  const target = join(stage, 'packages', name)
  cpSync(source, target, {
    recursive: true,
    filter: path =>
      !/[\\/](node_modules|target|dist)$|\.node$/.test(path) && !isTest(path.replaceAll('\\', '/')),
  })
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
  const flat = name === 'engine'
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: flat ? '.' : 'src',
      outDir: flat ? '.' : 'dist',
    },
    include: flat ? ['index.ts', 'plan.ts'] : ['src'],
    exclude: [],
  }
  const configFile = join(target, 'tsconfig.json')
  writeFileSync(configFile, JSON.stringify(config))
  execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', configFile], { stdio: 'inherit' })
  rmSync(configFile)
  // The server finds its languages in their folder. The compiler copies only the file that it imports.
  for (const file of flat ? [] : globSync('languages/*.json', { cwd: join(source, 'src') }))
    copyFileSync(join(source, 'src', file), join(target, 'dist', file))
  const manifest = publishedManifest(name, readManifest(name))
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  return target
}

/** The console consists of browser files, which its own build made at installation. */
const stageConsole = (): string => {
  const source = join(root, 'packages', 'console')
  const target = join(stage, 'packages', 'console')
  if (!existsSync(join(source, 'dist'))) throw new Error('the console is not built: run `npm ci`')
  mkdirSync(target, { recursive: true })
  cpSync(join(source, 'dist'), join(target, 'dist'), { recursive: true })
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
  const { name, version, description, license, type, exports } = readManifest('console')
  const manifest = { name, version, description, license, type, exports, files: ['dist'] }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  return target
}

const linkForTheOthers = (name: PackageName, target: string): void => {
  const scope = join(stage, 'node_modules', '@querent')
  mkdirSync(scope, { recursive: true })
  symlinkSync(target, join(scope, name), 'junction')
}

/** Loads every package and the addon. */
const probeText = `
await import('@querent/client')
await import('@querent/instantsearch')
await import('@querent/contract/errors')
await import('@querent/server/main')
const { openNativeEngine } = await import('@querent/engine')
openNativeEngine('engine', 1, 1)
process.exit(0)
`

/** The licenses of the data in the addon. */
const readNotices = (): string => {
  const sources = join(root, 'packages', 'engine', 'src')
  const files = readdirSync(sources).filter(name => name.endsWith('.license.txt'))
  return files.map(name => readFileSync(join(sources, name), 'utf8')).join('\n\n')
}

/** Stages the package with the addon of one platform, in the layout of napi-rs. */
const stageAddon = (platform: (typeof platforms)[number], folder: string): string => {
  const { name, os, cpu, libc } = platform
  const { version } = readManifest('engine')
  const target = join(folder, `engine-${name}`)
  mkdirSync(target, { recursive: true })
  const main = addonNameFor(name)
  const manifest = {
    name: packageNameFor(name),
    version,
    description: `The embedded search engine of Querent, built for ${name}`,
    license: 'Apache-2.0',
    engines: { node: '>=22' },
    os: [os],
    cpu: [cpu],
    ...(libc === undefined ? {} : { libc: [libc] }),
    main,
    files: [main, 'NOTICE'],
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
  writeFileSync(join(target, 'NOTICE'), readNotices())
  const text = `# ${manifest.name}\n\n${manifest.description} (\`${platform.target}\`). Installed by \`@querent/engine\`, which says what it is.\n`
  writeFileSync(join(target, 'README.md'), text)
  return target
}

const pack = (target: string, into: string): string => {
  const [packed] =
    npm(['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', into], target).match(
      /[\w.-]+\.tgz/,
    ) ?? []
  if (packed === undefined) throw new Error(`npm packed nothing of ${target}`)
  return join(into, packed)
}

/** Packs the addon that this checkout's installation built. */
const packAddon = (): void => {
  const ownPlatform = platforms.find(({ name }) => name === platform)
  if (!ownPlatform)
    throw new Error(`there is no package for ${platform}: packages/engine/platform.js lists those there are`)
  const target = stageAddon(ownPlatform, join(stage, 'packages'))
  copyFileSync(join(root, 'packages', 'engine', addonNameFor(platform)), join(target, addonNameFor(platform)))
  pack(target, tarballs)
  console.log(`build: packed the addon for ${platform}`)
}

/** Stands in for the packages of other platforms, which npm reads but does not install. */
const otherPlatforms = (folder: string): Record<string, string> =>
  Object.fromEntries(
    platforms
      .filter(({ name }) => name !== platform)
      .map(other => {
        const target = stageAddon(other, folder)
        writeFileSync(join(target, addonNameFor(other.name)), '')
        return [packageNameFor(other.name), `file:${pack(target, folder)}`]
      }),
  )

/** Lists what `project` installed, what the console's bundle contains, and the crates of the engine. Throws if a licence is not allowed. */
const writeBillOfMaterials = (project: string): void => {
  const cargoMetadata = execFileSync('cargo', ['metadata', '--format-version', '1', '--locked'], {
    cwd: join(root, 'packages', 'engine'),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const bundled = ['licences.json', 'docs/licences.json'].flatMap(
    // Vite and the documentation site write them.
    file =>
      JSON.parse(readFileSync(join(root, 'packages', 'console', 'dist', file), 'utf8')) as BundledPackage[],
  )
  const installed = JSON.parse(npm(['sbom', '--sbom-format=cyclonedx'], project)) as BillOfMaterials
  const crates = JSON.parse(cargoMetadata) as CargoMetadata
  const bill = addWordLists(addCrates(addBundledPackages(installed, bundled), crates))
  writeFileSync(join(stage, 'querent.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`)
  writeFileSync(join(stage, 'licences.md'), reportLicences(bill))
}

/** Throws if the installed server lacks a language of the checkout. */
const proveLanguages = (project: string): void => {
  const probe = join(project, 'languages.mjs')
  const installed = './node_modules/@querent/server/dist/languages/languages.js'
  writeFileSync(probe, `console.log((await import('${installed}')).languages.toSorted().join())\n`)
  const printed = execFileSync(process.execPath, [probe], { cwd: project, encoding: 'utf8' }).trim()
  const files = globSync('*.json', { cwd: join(root, 'packages', 'server', 'src', 'languages') })
  const expected = files
    .map(file => file.replace('.json', ''))
    .toSorted()
    .join()
  if (printed !== expected) throw new Error(`the packed server has ${printed} instead of ${expected}`)
}

/** Installs the tarballs into an empty project, and runs the result. */
const prove = (files: string[], version: string): void => {
  const project = mkdtempSync(join(tmpdir(), 'querent-packed-'))
  try {
    const optionalDependencies = otherPlatforms(join(project, 'other-platforms'))
    const manifest = { name: 'querent-installed', version, private: true, optionalDependencies }
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
    npm(
      [
        'install',
        '--ignore-scripts',
        '--prefer-offline',
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
        ...files,
      ],
      project,
    )
    // Runs scripts as npm does by default. The addon's package is found, so nothing needs cargo.
    const engine = join(project, 'node_modules', '@querent', 'engine')
    execFileSync(process.execPath, ['install.js'], { cwd: engine, stdio: 'inherit', env: { PATH: '' } })
    if (existsSync(join(engine, addonNameFor(platform)))) throw new Error('the addon was built again')
    const printed = npm(['exec', '--offline', '--', 'querent', '--version'], project).trim()
    if (printed !== version) throw new Error(`querent --version printed ${printed} instead of ${version}`)
    const init = [
      'exec',
      '--offline',
      '--',
      'querent',
      'init',
      '--data',
      'data',
      '--admin',
      'ada@example.org',
      '--password-stdin',
    ]
    // A worker thread with its own file estimates the password.
    npm(init, project, 'correct horse battery staple\n')
    if (!existsSync(join(project, 'data'))) throw new Error('querent init made no data folder')
    // Reads the stop words of the engine.
    writeFileSync(join(project, 'products.csv'), 'id,name\n1,the kettle\n2,the stove\n')
    npm(['exec', '--offline', '--', 'querent', 'new', 'shop', '--from', 'products.csv'], project)
    const probe = join(project, 'probe.mjs')
    writeFileSync(probe, probeText)
    execFileSync(process.execPath, [probe], { cwd: project, stdio: 'inherit' })
    proveLanguages(project)
    writeBillOfMaterials(project)
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}

const packAll = (names: readonly PackageName[]): void => {
  for (const name of names) {
    const target = stagePackage(name)
    linkForTheOthers(name, target)
    const file = pack(target, tarballs)
    console.log(`build: packed ${relative(root, file)}`)
  }
}

rmSync(stage, { recursive: true, force: true })
mkdirSync(tarballs, { recursive: true })
if (process.argv.includes('--libraries')) {
  packAll(libraries)
  process.exit()
}
packAddon()
if (process.argv.includes('--addon')) process.exit()
pack(stageConsole(), tarballs)
packAll(packages)
prove(
  globSync('*.tgz', { cwd: tarballs }).map(file => join(tarballs, file)),
  readManifest('cli').version,
)
console.log('build: the packed command line runs from an empty project')
