/** Packages from the npm registry that only a test needs, and `npm ci` should not install. */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedFolder, run } from '#bench/peers/start'

/** Returns a folder whose `node_modules` has these packages, such as `express@5.3.0`. Later runs use it again. No install scripts run. */
export const npmFolder = (name: string, packages: readonly string[]): Promise<string> =>
  cachedFolder(`${name}-${abbreviate(packages.join(' ').replaceAll(/[^a-z0-9.]+/g, '-'))}`, async folder => {
    await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--prefix', folder]
    await run('npm', ['install', ...options, ...packages], { cwd: folder })
  })

/** Names of folders have at most 255 bytes (ext4). */
const nameCharactersMax = 150

const abbreviate = (name: string): string =>
  name.length <= nameCharactersMax ? name : createHash('sha256').update(name).digest('hex')
