/** Reads the server's settings from flags, environment and configuration file, for the commands that start a server. */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { didYouMean, editDistance, nearestNames } from '@querent/contract/nearest-names'
import type { SettingName } from '@querent/server/config/config'
import { readConfig } from '@querent/server/config/resolve'
import { settingNames, settings } from '@querent/server/config/settings'
import { CommandError, UsageError } from '#command-line/failure'
import { createReadError } from '#command-line/file-failure'

/**
 * Reads every setting. `flagValues` has the flags by setting name, and `config`, the name of the configuration file. Throws
 * {@link UsageError} for bad values.
 */
export const readSettings = async (
  flagValues: object,
  env = process.env,
): Promise<ReturnType<typeof readConfig>> => {
  const values = new Map<string, unknown>(Object.entries(flagValues))
  const flags: Partial<Record<SettingName, string>> = {}
  for (const name of settingNames) {
    const value = values.get(name)
    if (typeof value === 'string') flags[name] = value
  }
  const file = values.get('config')
  rejectMisspelled(env)
  try {
    return readConfig({
      flags,
      env,
      ...(typeof file === 'string' ? { file: { name: file, settings: await readServerSettings(file) } } : {}),
    })
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error)) throw error
    throw new UsageError(error.message)
  }
}

/**
 * Rejects a variable whose name is close to that of a setting, because a typo would have no effect. Other unknown variables are allowed:
 * they belong to commands or to the environment. For example, Kubernetes sets QUERENT_SERVICE_HOST for a Service named querent.
 */
const rejectMisspelled = (env: NodeJS.ProcessEnv): void => {
  const knownNames = settingNames.map(name => settings[name].environment)
  for (const variable of Object.keys(env)) {
    if (!variable.startsWith(prefix) || knownNames.includes(variable)) continue
    const [nearest = ''] = nearestNames(variable, knownNames)
    if (editDistance(variable, nearest) <= Math.ceil((variable.length - prefix.length) / 5))
      throw new UsageError(`no setting is named ${variable}; did you mean ${nearest}?`)
  }
}
const prefix = 'QUERENT_'

/** Servers and commands may share a file. `server` is only for commands. */
const readServerSettings = async (file: string): Promise<unknown> => {
  const content = await readSettingsFile(file)
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return content
  const { server: _, ...settings }: Record<string, unknown> = { ...content }
  return settings
}

/** Reads `data` and `server`, which tell commands where the server is. Throws {@link UsageError} for misspelled names. */
export const readConnectionFile = async (file: string): Promise<{ data?: string; server?: string }> => {
  const content: Record<string, unknown> = { ...Object(await readSettingsFile(file)) }
  const knownNames = [...settingNames, 'server']
  const unknown = Object.keys(content).find(name => !knownNames.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`${file}: no setting is named "${unknown}"${didYouMean(unknown, knownNames)}`)
  const { data, server } = content
  for (const [name, value] of Object.entries({ data, server }))
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw new UsageError(`${name} in ${file}: expected a string, found ${JSON.stringify(value)}`)
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
    throw createReadError(`the configuration file ${file}`, error)
  }
  try {
    return extname(file) === '.json' ? JSON.parse(text) : (await import('yaml')).parse(text)
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('\n') : []
    throw new UsageError(`--config: ${file} is neither YAML nor JSON: ${reason?.replace(/:$/, '')}`)
  }
}
