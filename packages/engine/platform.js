// The platforms with a prebuilt addon, and the names of its files and packages. Plain JavaScript, because install.js runs before
// anything else is set up, also on older versions of Node.

/** The names follow napi-rs. `target` is the name of the platform in Rust, `libc` the value in package.json. */
export const platforms = [
  { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64', target: 'aarch64-apple-darwin' },
  { name: 'darwin-x64', os: 'darwin', cpu: 'x64', target: 'x86_64-apple-darwin' },
  { name: 'linux-arm64-gnu', os: 'linux', cpu: 'arm64', libc: 'glibc', target: 'aarch64-unknown-linux-gnu' },
  { name: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl', target: 'aarch64-unknown-linux-musl' },
  { name: 'linux-x64-gnu', os: 'linux', cpu: 'x64', libc: 'glibc', target: 'x86_64-unknown-linux-gnu' },
  { name: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl', target: 'x86_64-unknown-linux-musl' },
  { name: 'win32-arm64-msvc', os: 'win32', cpu: 'arm64', target: 'aarch64-pc-windows-msvc' },
  { name: 'win32-x64-msvc', os: 'win32', cpu: 'x64', target: 'x86_64-pc-windows-msvc' },
]

/** Returns the name of a platform, prebuilt or not. `isMusl` only matters on Linux. */
export function platformName(os, cpu, isMusl) {
  if (os === 'linux') return `${os}-${cpu}-${isMusl ? 'musl' : 'gnu'}`
  return os === 'win32' ? `${os}-${cpu}-msvc` : `${os}-${cpu}`
}

export const addonNameFor = name => `querent-engine.${name}.node`
export const packageNameFor = name => `@querent/engine-${name}`

const isMusl = process.platform === 'linux' && !('glibcVersionRuntime' in process.report.getReport().header)
export const platform = platformName(process.platform, process.arch, isMusl)

/** The file name of an addon built on this machine, next to this file. */
export const addonName = addonNameFor(platform)

/** The npm package with the prebuilt addon. Each of `platforms` has one. */
export const prebuiltPackage = packageNameFor(platform)

/**
 * Loads the addon with `load`, a `require`. Tries a local build first, because somebody built it on purpose, then the package. Throws an
 * error that says what to do, with the failure of the load as its cause.
 */
export function loadAddon(load, name = platform) {
  const errors = []
  for (const specifier of [`./${addonNameFor(name)}`, packageNameFor(name)]) {
    try {
      return load(specifier)
    } catch (error) {
      errors.push(error)
    }
  }
  // The error of an unloadable file says more than that of a missing one.
  const cause = errors.find(error => error.code !== 'MODULE_NOT_FOUND') ?? errors[0]
  const isPrebuilt = platforms.some(platform => platform.name === name)
  const problem = isPrebuilt
    ? `cannot load the package ${packageNameFor(name)} (npm omits it with --omit=optional) or a local build`
    : `there is no prebuilt addon for ${name}, and no local build can be loaded`
  throw new Error(
    `The search engine's addon: ${problem}: ${cause.message.split('\n', 1)[0]}. Install Rust 1.90 or newer and run \`npm rebuild @querent/engine\`.`,
    { cause },
  )
}
