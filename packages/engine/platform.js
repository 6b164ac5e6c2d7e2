// How the addon is called on this platform. Plain JavaScript: install.js runs before anything of ours is set up, on any Node from 20 on.

const glibc = process.platform === 'linux' && 'glibcVersionRuntime' in process.report.getReport().header
const libc = process.platform === 'linux' ? (glibc ? '-gnu' : '-musl') : ''

export const platform = `${process.platform}-${process.arch}${libc}`

/** The addon as built on this machine, beside this file. */
export const addonName = `querent-engine.${platform}.node`

/** The npm package that carries it prebuilt. */
export const prebuiltPackage = `@querent/engine-${platform}`
