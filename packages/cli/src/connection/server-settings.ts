/** The server's settings from flags, environment and configuration file, for the commands that start one. */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { editDistance, nearestNames } from '@querent/contract/nearest-names'
import { readConfig, type SettingName, settingNames, settings } from '@querent/server/config'
import { CommandError, UsageError } from '#command-line/failure'

/** Reads every setting; `given` holds the flags by the setting's name, and `config`, the file. Throws {@link UsageError} for bad values. */
export const settingsOf = async (given: object): Promise<ReturnType<typeof readConfig>> => {
  const values = new Map<string, unknown>(Object.entries(given))
  const flags: Partial<Record<SettingName, string>> = {}
  for (const name of settingNames) {
    const value = values.get(name)
    if (typeof value === 'string') flags[name] = value
  }
  const file = values.get('config')
  refuseMisspelt(process.env)
  try {
    return readConfig({
      flags,
      env: process.env,
      ...(typeof file === 'string' ? { file: { name: file, settings: await readSettingsFile(file) } } : {}),
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
