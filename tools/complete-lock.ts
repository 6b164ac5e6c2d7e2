/**
 * Adds to package-lock.json the optional packages of other platforms that the registry did not hand over: `npm ci` wants every one to
 * be named, also those it will not install. Run after `npm install` where `npm ci` says "Missing … from lock file".
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

/** Entries that are missing, by their path in the lock. A name that tells no platform throws: it has to be added by hand. */
export const missingEntries = (packages: Packages): Packages => {
  const missing: Packages = {}
  for (const { optionalDependencies = {}, dev, license } of Object.values(packages))
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const path = `node_modules/${name}`
      if (Object.keys(packages).some(known => known === path || known.endsWith(`/${path}`))) continue
      const [, os, cpu, musl] = platform.exec(name) ?? []
      if (os === undefined || cpu === undefined) throw new Error(`package-lock.json lacks ${name}`)
      missing[path] = {
        version,
        cpu: [cpu],
        ...(dev ? { dev } : {}),
        ...(os === 'linux' ? { libc: [musl ? 'musl' : 'glibc'] } : {}),
        ...(license ? { license } : {}),
        optional: true,
        os: [os],
      }
    }
  return missing
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '..', 'package-lock.json')
  // Written by npm.
  const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Packages }
  const missing = missingEntries(lock.packages)
  const packages = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`)
  for (const path of Object.keys(missing)) process.stdout.write(`added ${path}\n`)
}
