/** Readers turn the text of a setting into its value. They throw {@link ConfigError} without the name of the setting. */
import { resolve } from 'node:path'
import { isAddressRange } from '@querent/contract/address-range'
import { quoted, serverOriginProblem } from '@querent/contract/server-origin'
import { type Config, ConfigError } from './config.ts'

export const enumReader =
  <const T extends string>(...allowed: readonly T[]) =>
  (text: string): T => {
    const choice = allowed.find(value => value === text)
    if (choice === undefined) throw new ConfigError(`${quoted(text)} is not one of ${allowed.join(', ')}`)
    return choice
  }

export const integerReader =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max))
      throw new ConfigError(`${quoted(text)} is not a whole number from ${min} to ${max}`)
    return value
  }

export const readNumberOrOff = (text: string): number | 'off' => {
  if (text === 'off') return 'off'
  try {
    return integerReader(1, 1_000_000_000)(text)
  } catch {
    throw new ConfigError(`${quoted(text)} is neither a whole number of at least 1 nor "off"`)
  }
}

export const readDays = (text: string): number | 'off' => {
  if (text === 'off') return 'off'
  try {
    return integerReader(1, 3650)(text)
  } catch {
    throw new ConfigError(`${quoted(text)} is neither a whole number of days from 1 to 3650, nor "off"`)
  }
}

export const readPortOrOff = (text: string): number | 'off' => {
  if (text === 'off') return 'off'
  try {
    return integerReader(0, 65_535)(text)
  } catch {
    throw new ConfigError(`${quoted(text)} is neither a whole number from 0 to 65535 nor "off"`)
  }
}

export const readRatio = (text: string): number => {
  const value = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= 0 && value <= 1))
    throw new ConfigError(`${quoted(text)} is not a number from 0 to 1, such as 0.1`)
  return value
}

/** Reads the address of a collector. Allows plain http, because traces contain no secrets. Errors never show the text, which may. */
export const readCollectorUrl = (text: string): string => {
  const { protocol, username, password, search, hash, origin, pathname } = URL.canParse(text)
    ? new URL(text)
    : new URL('none:')
  const isPlain = username === '' && password === '' && search === '' && hash === ''
  if ((protocol === 'http:' || protocol === 'https:') && isPlain)
    return `${origin}${pathname}`.replace(/\/+$/, '')
  throw new ConfigError(
    'it is not an address such as http://127.0.0.1:4318 without user and query; put credentials into OTEL_EXPORTER_OTLP_HEADERS',
  )
}

/** Reads a public origin. */
export const readOrigin = (text: string): string => {
  const problem = serverOriginProblem(text)
  if (problem !== undefined) throw new ConfigError(problem)
  return new URL(text).origin
}

export const readAddresses = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .filter(part => part !== '')
    .map(part => {
      if (isAddressRange(part)) return part
      throw new ConfigError(`${quoted(part)} is neither an IP address nor a range such as 10.0.0.0/8`)
    })

/** Reads hosts, with or without a port, in the spelling of a URL. */
export const readHosts = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .filter(part => part !== '')
    .map(part => {
      const url = URL.parse(`https://${part}`)
      if (url?.host === part.toLowerCase() && !part.includes('*')) return url.host
      throw new ConfigError(`${quoted(part)} is not a host such as agents.internal or agents.internal:8443`)
    })

export const readStorageLocation = (text: string): Config['storage'] => {
  if (/^postgres(ql)?:\/\/./.test(text) && URL.canParse(text)) return { connection: text }
  const file = /^sqlite:(.+)$/.exec(text)?.[1]
  if (file !== undefined) return { file: resolve(file) }
  throw new ConfigError('it is neither postgres://user@host/database nor sqlite:FILE')
}

/** Reads the engine. Allows plain http on this machine only, because it would send documents in clear. */
export const readEngine = (text: string): Config['engine'] => {
  if (text === 'embedded') return text
  const nodes = text.split(/[\s,]+/).filter(part => part !== '')
  const nodeWithUser = nodes.find(node => URL.canParse(node) && new URL(node).username !== '')
  // The message must not contain the address, which may include a password.
  if (nodeWithUser !== undefined)
    throw new ConfigError(
      'an address contains a user: set QUERENT_ENGINE_USER and QUERENT_ENGINE_PASSWORD in the environment instead',
    )
  if (nodes.length > 0 && nodes.every(node => /^https?:\/\//.test(node)))
    return { nodes: nodes.map(readOrigin) }
  throw new ConfigError(
    `${quoted(text)} is neither "embedded" nor addresses of OpenSearch such as https://search.example.org:9200`,
  )
}

export const readIndexPrefix = (text: string): string => {
  if (/^[a-z0-9][a-z0-9_-]{0,30}$/.test(text)) return text
  throw new ConfigError(
    `${quoted(text)} is not a valid index prefix: use 1 to 31 characters of a-z 0-9 - _, beginning with a letter or digit`,
  )
}

/** Reads the address of a mail server. Errors never show it, because it contains a password. */
export const readSmtpUrl = (text: string): string => {
  const { protocol, hostname, pathname } = URL.canParse(text) ? new URL(text) : new URL('none:')
  if ((protocol === 'smtp:' || protocol === 'smtps:') && hostname !== '' && /^\/?$/.test(pathname))
    return text
  throw new ConfigError('it is not of the form smtp://user:password@host:port (or smtps://)')
}

export const readSender = (text: string): string => {
  if (/^[^\r\n<>"@]*<[^\s@<>"]+@[^\s@<>"]+>$|^[^\s@<>"]+@[^\s@<>"]+$/.test(text)) return text
  throw new ConfigError(`${quoted(text)} is not a sender such as "Search <search@example.org>"`)
}

export const nonEmptyReader = (example: string) => (text: string) => {
  if (text === '') throw new ConfigError(`it is empty: give ${example}`)
  return text
}

const keyBytes = 32
export const readSecretKey = (text: string): string => {
  if (Buffer.from(text, 'base64').length !== keyBytes)
    throw new ConfigError(
      `it is not ${keyBytes} bytes in base64: create one with \`openssl rand -base64 ${keyBytes}\``,
    )
  return text
}
