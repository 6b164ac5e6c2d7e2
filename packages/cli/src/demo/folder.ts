/** The demo's data folder, and the state that later starts of the demo reuse. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '@querent/server/config/config'
import { CommandError } from '#command-line/failure'

/** Content of `demo.json`, mode 0600. It holds secrets in clear, because the server itself only has their hashes. */
export interface Demo {
  email: string
  password: string
  /** Set once all entries of the dictionary are imported. */
  imported?: true
  /** Set once all cities are imported. */
  citiesImported?: true
  clientId?: string
  clientSecret?: string
}

const operatorEmail = 'admin@example.org'
const demoFile = (data: string): string => join(data, 'demo.json')

export interface DemoSession {
  demo: Demo
  /** Removes what `openDemo` created, and nothing of an earlier start. */
  undo: () => Promise<void>
}

/** Creates the folder with its operator, or opens the one of an earlier start. Throws {@link CommandError} for another server's folder. */
export const openDemo = async (config: Config): Promise<DemoSession> => {
  const savedDemo = await readDemo(config.data)
  if (savedDemo) return { demo: savedDemo, undo: async () => {} }
  const demo = { email: operatorEmail, password: randomBytes(12).toString('base64url') }
  const { initDataFolder } = await import('@querent/server/main')
  const undo = await initDataFolder(config, demo)
  await saveDemo(config.data, demo)
  return { demo, undo }
}

/** Writes the whole file or nothing. */
export const saveDemo = async (data: string, demo: Demo): Promise<void> => {
  const file = demoFile(data)
  await writeFile(`${file}.new`, `${JSON.stringify(demo)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

const readDemo = async (data: string): Promise<Demo | undefined> => {
  const file = demoFile(data)
  if (!existsSync(file)) {
    if (existsSync(join(data, 'key')))
      throw new CommandError(
        `${data} is the data folder of a server, not of a demo: choose another with --data`,
      )
    return undefined
  }
  try {
    const content: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (isDemo(content)) return content
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new CommandError(`${file} is damaged: remove the folder ${data} and start the demo again`)
}

const isDemo = (value: unknown): value is Demo =>
  typeof value === 'object' &&
  value !== null &&
  'email' in value &&
  typeof value.email === 'string' &&
  'password' in value &&
  typeof value.password === 'string'
