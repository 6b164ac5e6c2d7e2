/**
 * Adds optional packages of other platforms that the registry did not return to package-lock.json. `npm ci` requires all of them, also
 * those it does not install. Run it after `npm install` if `npm ci` says "Missing … from lock file".
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Entry {
  version?: string
  license?: string
  dev?: boolean
  optionalDependencies?: Record<string, string>
  [key: string]: unknown
}
type Packages = Record<string, Entry>

const platform = /(aix|android|darwin|freebsd|linux|win32)-(arm64|x64)(-musl)?$/

/** Returns missing entries by their path in the lock file. Throws if a name contains no platform: add that package by hand. */
export const missingEntries = (packages: Packages): Packages => {
  const missing: Packages = {}
  for (const { optionalDependencies = {}, dev, license } of Object.values(packages))
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const path = `node_modules/${name}`
      if (Object.keys(packages).some(existing => existing === path || existing.endsWith(`/${path}`))) continue
      missing[path] = makeEntry(name, { version, ...(dev ? { dev } : {}), ...(license ? { license } : {}) })
    }
  return missing
}

const makeEntry = (name: string, { version, dev, license }: Entry & { version: string }): Entry => {
  const [, os, cpu, musl] = platform.exec(name) ?? []
  if (os === undefined || cpu === undefined) throw new Error(`package-lock.json lacks ${name}`)
  return {
    version,
    cpu: [cpu],
    ...(dev ? { dev } : {}),
    ...(os === 'linux' ? { libc: [musl ? 'musl' : 'glibc'] } : {}),
    ...(license ? { license } : {}),
    optional: true,
    os: [os],
  }
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '..', 'package-lock.json')
  // npm has written it.
  const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Packages }
  const missing = missingEntries(lock.packages)
  const packages = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`)
  for (const path of Object.keys(missing)) process.stdout.write(`added ${path}\n`)
}
