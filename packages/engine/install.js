// Makes the addon available: the prebuilt package if this platform has one, else a build with cargo. `npm install` runs this file.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cargo, targetFolder } from './cargo.js'
import { addonName, platform, prebuiltPackage } from './platform.js'

const folder = fileURLToPath(new URL('.', import.meta.url))
const addon = join(folder, addonName)
// Hash of the sources that the addon was built from. Git ignores it, as it ignores the addon.
const hashFile = `${addon.slice(0, -'.node'.length)}.sources.node`

install()

function install() {
  const sources = sourceHash()
  if (existsSync(addon) && existsSync(hashFile) && readFileSync(hashFile, 'utf8') === sources) return
  if (hasPrebuilt()) return
  if (spawnSync('cargo', ['--version']).status !== 0) {
    fail(
      `There is no prebuilt search engine for ${platform}, and cargo, which could build one, is not on the PATH. ` +
        'Install Rust 1.90 or newer (https://rustup.rs) and a C compiler, then run `npm install` again.',
    )
  }
  build()
  writeFileSync(hashFile, sources)
}

function hasPrebuilt() {
  try {
    createRequire(import.meta.url).resolve(prebuiltPackage)
    return true
  } catch {
    return false
  }
}

function build() {
  say(
    'Building the search engine from source. The first build takes about 4 minutes of processor time (2 to 3 minutes on two cores), ' +
      'later ones take seconds. Compiled files are kept outside the checkout, in the cache folder or in CARGO_TARGET_DIR.',
  )
  const started = Date.now()
  if (cargo('build', '--release', '--locked') !== 0) {
    fail(
      'The build of the search engine failed: see the messages of cargo above. It needs Rust 1.90 or newer and a C compiler.',
    )
  }
  // Copied and renamed, because a running server still uses the old file.
  copyFileSync(join(targetFolder, 'release', libraryName()), `${addon}.new.node`)
  renameSync(`${addon}.new.node`, addon)
  say(`Built the search engine in ${Math.round((Date.now() - started) / 1000)} s.`)
}

function libraryName() {
  if (process.platform === 'win32') return 'querent_engine.dll'
  return process.platform === 'darwin' ? 'libquerent_engine.dylib' : 'libquerent_engine.so'
}

function sourceHash() {
  const hash = createHash('sha256').update(platform)
  for (const path of ['Cargo.toml', 'Cargo.lock', 'build.rs', ...filesUnder('src')]) {
    hash.update(`\0${path}\0`).update(readFileSync(join(folder, path)))
  }
  return hash.digest('hex')
}

function filesUnder(name) {
  const entries = readdirSync(join(folder, name), { withFileTypes: true, recursive: true })
  const files = entries.filter(entry => entry.isFile() && /\.(rs|json|txt)$/.test(entry.name))
  return files.map(file => relative(folder, join(file.parentPath, file.name))).sort()
}

function say(message) {
  console.log(`[querent] ${message}`)
}

function fail(message) {
  console.error(`[querent] ${message}`)
  process.exit(1)
}
