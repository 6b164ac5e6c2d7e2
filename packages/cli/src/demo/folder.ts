/** The demo's data folder, and what the demo remembers there: later starts take it up. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '@querent/server/config'
import { CommandError } from '#command-line/failure'

/** Kept in `demo.json`, mode 0600. Secrets stand there in clear: the server itself only has their hashes. */
export interface Demo {
  email: string
  password: string
  /** Set once all documents are in. */
  imported?: true
  clientId?: string
  clientSecret?: string
}

const operatorEmail = 'admin@example.org'
const demoFile = (data: string): string => join(data, 'demo.json')

export interface Opened {
  demo: Demo
  /** Removes what was made just now; nothing of an earlier start's. */
  undo: () => Promise<void>
}

/** Makes the folder with its operator, or finds what an earlier start left. Throws {@link CommandError} for a folder that is not a demo's. */
export const openDemo = async (config: Config): Promise<Opened> => {
  const found = await readDemo(config.data)
  if (found) return { demo: found, undo: async () => {} }
  const demo = { email: operatorEmail, password: randomBytes(12).toString('base64url') }
  const { initDataFolder } = await import('@querent/server/main')
  const undo = await initDataFolder(config, demo)
  await remember(config.data, demo)
  return { demo, undo }
}

/** Written whole or not at all. */
export const remember = async (data: string, demo: Demo): Promise<void> => {
  const file = demoFile(data)
  await writeFile(`${file}.new`, `${JSON.stringify(demo)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

const readDemo = async (data: string): Promise<Demo | undefined> => {
  const file = demoFile(data)
  if (!existsSync(file)) {
    if (existsSync(join(data, 'key')))
      throw new CommandError(
        `${data} is the data folder of a server, not of a demo: name another with --data`,
      )
    return undefined
  }
  try {
    const found: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (isDemo(found)) return found
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new CommandError(`${file} is damaged: remove the folder ${data} and start the demo anew`)
}

const isDemo = (found: unknown): found is Demo =>
  typeof found === 'object' &&
  found !== null &&
  'email' in found &&
  typeof found.email === 'string' &&
  'password' in found &&
  typeof found.password === 'string'
