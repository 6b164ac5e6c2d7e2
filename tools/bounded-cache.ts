/** Keeps a cache folder from growing without limit. */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const readSize = (path: string): number => {
  try {
    return statSync(path).size
  } catch {
    // Another run replaced it.
    return 0
  }
}

/** Creates the folder if it is missing, and empties it if its files take more than `bytesMax`. */
export const openBoundedCache = (folder: string, bytesMax: number): void => {
  mkdirSync(folder, { recursive: true })
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + readSize(join(parentPath, name)), 0)
  if (bytes > bytesMax)
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
}
