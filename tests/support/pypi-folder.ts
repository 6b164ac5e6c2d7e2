/** Packages from PyPI of which a test needs only the files. */
import { join } from 'node:path'
import { cachedFolder, run } from '#bench/peers/start'

/** Returns a folder with the files of this package, such as `palmerpenguins==0.1.6`. Later runs use it again. Nothing of it runs. */
export const pypiFolder = (requirement: string): Promise<string> =>
  cachedFolder(`pypi-${requirement.replaceAll(/[^a-z0-9.]+/gi, '-')}`, async folder => {
    const options = ['--quiet', '--no-deps', '--only-binary=:all:', '--no-compile', '--target']
    await run('python3', ['-m', 'pip', 'install', ...options, folder, requirement], { cwd: folder })
  })

/** Returns the path of a file of a package. */
export const pypiFile = async (requirement: string, path: string): Promise<string> =>
  join(await pypiFolder(requirement), path)
