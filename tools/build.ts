/**
 * `npm run build`: makes the packages as they are published, and proves them. Each package is staged under dist/ with its TypeScript
 * compiled to JavaScript and types, its `exports` and `imports` pointing there, and packed; the tarballs are then installed into an empty project
 * and the command line is run from it. The checkout's own packages are left as they are: they run from source.
 */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isTest } from './tidy-imports.ts'

const root = join(import.meta.dirname, '..')
const stage = join(root, 'dist')
const tarballs = join(stage, 'tarballs')
/** In the order in which they need one another's types. */
const packages = ['contract', 'engine', 'client', 'server', 'cli'] as const
type PackageName = (typeof packages)[number]

interface Manifest {
  name: string
  version: string
  files?: string[]
  exports?: unknown
  imports?: unknown
  scripts?: Record<string, string>
}

const npm = (args: string[], folder: string): string =>
  execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

/** `./src/a.ts` → `./dist/a.js`, `./index.ts` → `./index.js`, in every text of a manifest's map. */
const toJavaScript = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '.js')
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJavaScript(inner)]))
}

/** The addon's sources go along: where no prebuilt package fits, it is built at installation. */
const engineFiles = ['*.js', '*.d.ts', 'Cargo.toml', 'Cargo.lock', 'build.rs', 'src']

const publishedManifest = (name: PackageName, manifest: Manifest): Manifest => ({
  ...manifest,
  files: name === 'engine' ? engineFiles : (manifest.files ?? ['dist']),
  ...(manifest.exports === undefined ? {} : { exports: toJavaScript(manifest.exports) }),
  ...(manifest.imports === undefined ? {} : { imports: toJavaScript(manifest.imports) }),
})

const readManifest = (name: PackageName): Manifest =>
  // npm has read it before: it is a manifest.
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest

/** Copies what is tracked or would be, compiles it, and leaves a folder that `npm pack` takes. */
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
    include: flat ? ['index.ts'] : ['src'],
    exclude: [],
  }
  const configFile = join(target, 'tsconfig.json')
  writeFileSync(configFile, JSON.stringify(config))
  execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', configFile], { stdio: 'inherit' })
  rmSync(configFile)
  const manifest = publishedManifest(name, readManifest(name))
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  return target
}

const linkForTheOthers = (name: PackageName, target: string): void => {
  const scope = join(stage, 'node_modules', '@querent')
  mkdirSync(scope, { recursive: true })
  symlinkSync(target, join(scope, name), 'junction')
}

/** Loads every package, and the addon. */
const probeText = `
await import('@querent/client')
await import('@querent/contract/errors')
await import('@querent/server/main')
const { openNativeEngine } = await import('@querent/engine')
openNativeEngine('engine', 1, 1)
process.exit(0)
`

/** Installs the tarballs into an empty project, and runs what was installed. */
const prove = (files: string[], version: string): void => {
  const project = mkdtempSync(join(tmpdir(), 'querent-packed-'))
  try {
    writeFileSync(join(project, 'package.json'), '{ "private": true }\n')
    // No scripts: the addon was built by this checkout's installation, and is copied in.
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
    const addons = globSync('packages/engine/querent-engine.*.node', { cwd: root })
    for (const addon of addons)
      copyFileSync(join(root, addon), join(project, 'node_modules', '@querent', 'engine', basename(addon)))
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
    ]
    npm(init, project)
    if (!existsSync(join(project, 'data'))) throw new Error('querent init made no data folder')
    const probe = join(project, 'probe.mjs')
    writeFileSync(probe, probeText)
    execFileSync(process.execPath, [probe], { cwd: project, stdio: 'inherit' })
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}

rmSync(stage, { recursive: true, force: true })
mkdirSync(tarballs, { recursive: true })
for (const name of packages) {
  const target = stagePackage(name)
  linkForTheOthers(name, target)
  npm(['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', tarballs], target)
  console.log(`build: packed ${name}`)
}
prove(
  globSync('*.tgz', { cwd: tarballs }).map(file => join(tarballs, file)),
  readManifest('cli').version,
)
console.log('build: the packed command line runs from an empty project')
