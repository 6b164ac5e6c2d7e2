/** Keeps a cache folder from growing without limit. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

const readSize = (path: string): number => {
  try {
    return statSync(path).size
  } catch {
    // Another run replaced it.
    return 0
  }
}

/**
 * Creates the folder if it is missing, and empties it if its files take more than `bytesMax`. Resolves when the files are deleted, which
 * may take half a minute. Until then they are in a folder of another name beside it.
 */
export const openBoundedCache = async (folder: string, bytesMax: number): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + readSize(join(parentPath, name)), 0)
  if (bytes <= bytesMax) return
  const dropped = mkdtempSync(`${folder}-dropped-`)
  renameSync(folder, dropped)
  mkdirSync(folder)
  await rm(dropped, { recursive: true, force: true })
}
