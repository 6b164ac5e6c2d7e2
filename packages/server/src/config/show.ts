import type { Config, SettingName } from './config.ts'
import type { readConfig } from './resolve.ts'
import { settingNames, settings } from './settings.ts'

/** Returns the output of `--print-config`, with secrets masked. */
export const showConfig = ({ config, sources }: ReturnType<typeof readConfig>) =>
  settingNames.map(name => {
    const { unit, environment, defaultText, description } = settings[name]
    const value = showValue(name, config)
    return {
      name,
      value: value ?? defaultText ?? null,
      source: sources[name],
      environment,
      ...(unit === undefined ? {} : { unit }),
      reason: description,
    }
  })

const showValue = (name: SettingName, config: Config): string | number | readonly string[] | undefined => {
  if (name === 'key') return config.key === undefined ? undefined : '(secret)'
  if (name === 'enginePassword') return config.enginePassword === undefined ? undefined : '(secret)'
  if (name === 'engine') return config.engine === 'embedded' ? config.engine : config.engine.nodes
  if (name === 'embedders') return describeEmbedders(config.embedders)
  if (name === 'smtpUrl') return config.smtpUrl && maskPassword(config.smtpUrl)
  if (name !== 'storage') return config[name]
  return 'file' in config.storage ? `sqlite:${config.storage.file}` : maskPassword(config.storage.connection)
}

/** Undefined without embedders. */
const describeEmbedders = (embedders: Config['embedders']): string[] | undefined => {
  const texts = Object.entries(embedders).map(
    ([name, { url, model, dimensions, key }]) =>
      `${name}: ${model} at ${url}, ${dimensions} dimensions${key === undefined ? '' : ', with a key (secret)'}`,
  )
  return texts.length === 0 ? undefined : texts
}

/** Masks passwords in the authority and in the parameters of a connection string. */
const maskPassword = (connection: string): string => {
  const url = new URL(connection)
  if (url.password) url.password = '***'
  for (const key of url.searchParams.keys()) if (/password/i.test(key)) url.searchParams.set(key, '***')
  return url.href
}
