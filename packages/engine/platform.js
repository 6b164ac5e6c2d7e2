// Which platforms have the addon prebuilt, and how it is called here. Plain JavaScript: install.js runs before anything of ours is set
// up, on any Node from 20 on.

/** Packages are named as napi-rs names them. `target` is what Rust calls it, `libc` what npm does. */
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

/** Name of a platform, prebuilt or not; `isMusl` matters on Linux alone. */
export function platformName(os, cpu, isMusl) {
  if (os === 'linux') return `${os}-${cpu}-${isMusl ? 'musl' : 'gnu'}`
  return os === 'win32' ? `${os}-${cpu}-msvc` : `${os}-${cpu}`
}

export const addonNameOf = name => `querent-engine.${name}.node`
export const packageNameOf = name => `@querent/engine-${name}`

const isMusl = process.platform === 'linux' && !('glibcVersionRuntime' in process.report.getReport().header)
export const platform = platformName(process.platform, process.arch, isMusl)

/** The addon as built on this machine, beside this file. */
export const addonName = addonNameOf(platform)

/** The npm package that carries it prebuilt; there is one for each of `platforms`. */
export const prebuiltPackage = packageNameOf(platform)

/**
 * Loads the addon with `load`, a `require`: one that was built here goes first, because it was built on purpose. Throws an error that
 * says what to do, with what each of the two said as its cause.
 */
export function loadAddon(load, name = platform) {
  const reasons = []
  for (const place of [`./${addonNameOf(name)}`, packageNameOf(name)]) {
    try {
      return load(place)
    } catch (reason) {
      reasons.push(reason)
    }
  }
  // A file that is there and cannot be loaded says more than one that is not there.
  const cause = reasons.find(reason => reason.code !== 'MODULE_NOT_FOUND') ?? reasons[0]
  const isPrebuilt = platforms.some(other => other.name === name)
  const what = isPrebuilt
    ? `neither the package ${packageNameOf(name)} (npm leaves it out with --omit=optional) nor a build of one's own can be loaded`
    : `there is no prebuilt one for ${name}, and no build of one's own can be loaded`
  throw new Error(
    `The search engine's addon: ${what}: ${cause.message.split('\n', 1)[0]}. Install Rust 1.90 or newer and run \`npm rebuild @querent/engine\`.`,
    { cause },
  )
}
