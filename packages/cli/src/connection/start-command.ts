import { type readConfig, type SettingName, settings, showConfig } from '@querent/server/config'
import { quoteArgument } from '#command-line/globals'

/** Settings without which a server would not find, or not open, what is there. */
const needed: readonly SettingName[] = [
  'storage',
  'engine',
  'engineUser',
  'enginePassword',
  'engineCa',
  'enginePrefix',
  'key',
]

/** How to start the servers on what was made with these settings. A secret is left out (`QUERENT_KEY=…`), to be filled in. */
export const startCommand = (read: ReturnType<typeof readConfig>, configFile: string | undefined): string => {
  const rows = showConfig(read).filter(
    ({ name, source }) => needed.includes(name) && (source === 'flag' || source === 'environment'),
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
