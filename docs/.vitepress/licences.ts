/** Lists the packages in the site's scripts, in the form of Vite's `build.license` (tools/bill-of-materials.ts reads it). */
import { existsSync, readFileSync } from 'node:fs'

interface Manifest {
  name: string
  version: string
  license: string
}

const licenceFiles = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license']

/** `modules` are the paths of the bundled files. */
export const listLicences = (modules: Iterable<string>): string => {
  const folders = new Set<string>()
  for (const path of modules) {
    const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replace(/^\0/, ''))?.[0]
    if (folder !== undefined) folders.add(folder)
  }
  const packages = [...folders].sort().map(folder => {
    // npm has read it before, so it is a manifest.
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest
    const file = licenceFiles.find(candidate => existsSync(`${folder}/${candidate}`))
    return { name, version, identifier: license, text: file ? readFileSync(`${folder}/${file}`, 'utf8') : '' }
  })
  return `${JSON.stringify(packages, undefined, 2)}\n`
}
