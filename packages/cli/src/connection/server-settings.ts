/** The server's settings from flags, environment and configuration file, for the commands that start one. */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { didYouMean, editDistance, nearestNames } from '@querent/contract/nearest-names'
import { readConfig, type SettingName, settingNames, settings } from '@querent/server/config'
import { CommandError, UsageError } from '#command-line/failure'

/**
 * Reads every setting; `given` holds the flags by the setting's name, and `config`, the file; `env` is the environment. Throws
 * {@link UsageError} for bad values.
 */
export const settingsOf = async (
  given: object,
  env = process.env,
): Promise<ReturnType<typeof readConfig>> => {
  const values = new Map<string, unknown>(Object.entries(given))
  const flags: Partial<Record<SettingName, string>> = {}
  for (const name of settingNames) {
    const value = values.get(name)
    if (typeof value === 'string') flags[name] = value
  }
  const file = values.get('config')
  refuseMisspelt(env)
  try {
    return readConfig({
      flags,
      env,
      ...(typeof file === 'string' ? { file: { name: file, settings: await serverSettingsIn(file) } } : {}),
    })
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error)) throw error
    throw new UsageError(error.message)
  }
}

/**
 * A variable that is nearly that of a setting would be passed over in silence. Others are somebody else's: of other commands, of whoever
 * runs the server; Kubernetes sets QUERENT_SERVICE_HOST and more for a Service of that name.
 */
const refuseMisspelt = (env: NodeJS.ProcessEnv): void => {
  const known = settingNames.map(name => settings[name].environment)
  for (const found of Object.keys(env)) {
    if (!found.startsWith(prefix) || known.includes(found)) continue
    const [nearest = ''] = nearestNames(found, known)
    if (editDistance(found, nearest) <= Math.ceil((found.length - prefix.length) / 5))
      throw new UsageError(`no setting is named ${found}; did you mean ${nearest}?`)
  }
}
const prefix = 'QUERENT_'

/** One file may be that of a server and of the commands: `server` is for these alone. */
const serverSettingsIn = async (file: string): Promise<unknown> => {
  const found = await readSettingsFile(file)
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return found
  const { server: _, ...settings }: Record<string, unknown> = { ...found }
  return settings
}

/** What the file says of the server that commands work through. Throws {@link UsageError} for what is misspelt. */
export const readConnectionFile = async (file: string): Promise<{ data?: string; server?: string }> => {
  const found: Record<string, unknown> = { ...Object(await readSettingsFile(file)) }
  const known = [...settingNames, 'server']
  const unknown = Object.keys(found).find(name => !known.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`${file}: no setting is named "${unknown}"${didYouMean(unknown, known)}`)
  const { data, server } = found
  for (const [name, value] of Object.entries({ data, server }))
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw new UsageError(`${name} in ${file}: a text is allowed, found ${JSON.stringify(value)}`)
  return {
    ...(typeof data === 'string' ? { data } : {}),
    ...(typeof server === 'string' ? { server } : {}),
  }
}

const readSettingsFile = async (file: string): Promise<unknown> => {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new CommandError(
      `the configuration file ${file} cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  }
  try {
    return extname(file) === '.json' ? JSON.parse(text) : (await import('yaml')).parse(text)
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('\n') : []
    throw new UsageError(`--config: ${file} is neither YAML nor JSON: ${reason?.replace(/:$/, '')}`)
  }
}
