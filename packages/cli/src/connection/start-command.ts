import type { SettingName } from '@querent/server/config/config'
import type { readConfig } from '@querent/server/config/resolve'
import { settings } from '@querent/server/config/settings'
import { showConfig } from '@querent/server/config/show'
import { quoteArgument } from '#command-line/globals'

/** Settings that a server needs to find and open the existing data. */
const neededSettings: readonly SettingName[] = [
  'storage',
  'engine',
  'engineUser',
  'enginePassword',
  'engineCa',
  'enginePrefix',
  'key',
]

/** Returns the command that starts the servers with these settings. Secrets are left out (`QUERENT_KEY=…`) for the reader to fill in. */
export const startCommand = (read: ReturnType<typeof readConfig>, configFile: string | undefined): string => {
  const rows = showConfig(read).filter(
    ({ name, source }) => neededSettings.includes(name) && (source === 'flag' || source === 'environment'),
  )
  const variables: string[] = []
  const flags: string[] = []
  for (const { name, value, environment } of rows) {
    const text = [value].flat().join(',')
    const [flag] = settings[name].flag?.split(' ') ?? []
    if (flag && !text.includes('***')) flags.push(flag, quoteArgument(text))
    else variables.push(`${environment}=${name === 'storage' ? 'postgres://…' : '…'}`)
  }
  const config = configFile === undefined ? [] : ['--config', quoteArgument(configFile)]
  const words = [
    ...variables,
    'querent',
    'serve',
    '--data',
    quoteArgument(read.config.data),
    ...config,
    ...flags,
  ]
  return `Start the servers${variables.length > 0 ? ' with the same settings' : ''}: ${words.join(' ')}`
}
