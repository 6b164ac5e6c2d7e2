/** Readers turn the text of a setting into its value. They throw {@link ConfigError} without the name of the setting. */
import { Resolver } from 'node:dns'
import { resolve } from 'node:path'
import { isAddressRange } from '@querent/contract/address-range'
import { isNativeScheme } from '@querent/contract/client-uris'
import { readDuration } from '@querent/contract/duration'
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

/** Reads version numbers at the start of a path. */
export const readPathVersions = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .filter(part => part !== '')
    .map(part => {
      if (/^(?:0|[1-9][0-9]{0,3})$/.test(part)) return part
      throw new ConfigError(`${quoted(part)} is not a version number such as 1`)
    })

/** Reads schemes of redirect URIs, in the spelling of a URL. */
export const readNativeSchemes = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .filter(part => part !== '')
    .map(part => {
      if (isNativeScheme(part)) return part
      throw new ConfigError(
        `${quoted(part)} is not a scheme of an application, such as cursor: lower case, without a colon, and not one of the browser or the network`,
      )
    })

export const readNameServers = (text: string): string[] => {
  const servers = text.split(/[\s,]+/).filter(part => part !== '')
  for (const server of servers)
    try {
      new Resolver().setServers([server])
    } catch {
      throw new ConfigError(`${quoted(server)} is not an IP address such as 192.0.2.53 or 192.0.2.53:5353`)
    }
  return servers
}

const embedderKeys = ['url', 'model', 'dimensions', 'key', 'batchSize', 'timeLimit']

/** Reads the embedders. Errors never show the text, because it contains keys. */
export const readEmbedders = (text: string): Config['embedders'] => {
  let embedders: unknown
  try {
    embedders = JSON.parse(text)
  } catch {
    throw new ConfigError('it is not JSON')
  }
  if (!isRecord(embedders)) throw new ConfigError('it is not an object of embedders by name')
  return Object.fromEntries(
    Object.entries(embedders).map(([name, one]) => {
      if (!isRecord(one) || !/^[\w-]{1,100}$/.test(name))
        throw new ConfigError(`${quoted(name)} is not an embedder: {"url", "model", "dimensions"}`)
      return [name, readEmbedder(name, one)]
    }),
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const readEmbedder = (name: string, given: Record<string, unknown>): Config['embedders'][string] => {
  const { url, model, dimensions, key, batchSize = 32, timeLimit = '30s' } = given
  const refuse = (field: string, allowed: string): never => {
    throw new ConfigError(`${field} of ${quoted(name)}: allowed: ${allowed}`)
  }
  const unknown = Object.keys(given).find(field => !embedderKeys.includes(field))
  if (unknown !== undefined) refuse(quoted(unknown), embedderKeys.join(', '))
  const isInteger = (value: unknown, max: number): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
  const address = typeof url === 'string' ? URL.parse(url) : null
  const isPlain =
    address &&
    address.username === '' &&
    address.password === '' &&
    address.hash === '' &&
    address.search === ''
  if (!isPlain || !/^https?:$/.test(address.protocol))
    return refuse('url', 'an address such as https://models.example.org/v1, without user and query')
  if (typeof model !== 'string' || model === '') return refuse('model', 'the name of a model')
  if (!isInteger(dimensions, 4096)) return refuse('dimensions', 'a whole number from 1 to 4096')
  if (key !== undefined && (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key)))
    return refuse('key', 'text without spaces')
  if (!isInteger(batchSize, 2048)) return refuse('batchSize', 'a whole number from 1 to 2048')
  const seconds = typeof timeLimit === 'string' ? readDuration(timeLimit) : undefined
  if (seconds === undefined || seconds < 1 || seconds > 600)
    return refuse('timeLimit', 'a duration from 1s to 10m')
  return {
    url: address.href.replace(/\/+$/, ''),
    model,
    dimensions,
    key,
    batchSize,
    timeLimitMs: seconds * 1000,
  }
}

export const readStorageLocation = (text: string): Config['storage'] => {
  if (/^postgres(ql)?:\/\/./.test(text)) {
    if (URL.canParse(text) && hasEncodedCredentials(new URL(text))) return { connection: text }
    throw new ConfigError(
      `it is not of the form postgres://user:password@host:port/database; ${encodingHint}`,
    )
  }
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

const encodingHint =
  'percent-encode special characters in user and password, for example % as %25, / as %2F, # as %23, ? as %3F, @ as %40'

/** False if user or password are not percent-encoded: they cannot be decoded, or a `/`, `#` or `?` in them ended the host early. */
const hasEncodedCredentials = ({ username, password, pathname, search, hash }: URL): boolean => {
  if (hash !== '' || pathname.includes('@') || /^[^=]*@/.test(search)) return false
  try {
    decodeURIComponent(username)
    decodeURIComponent(password)
    return true
  } catch {
    return false
  }
}

/** Reads the address of a mail server. Errors never show it, because it contains a password. */
export const readSmtpUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : new URL('none:')
  const isMailServer = /^smtps?:$/.test(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname)
  if (isMailServer && hasEncodedCredentials(url)) return text
  throw new ConfigError(`it is not of the form smtp://user:password@host:port (or smtps://); ${encodingHint}`)
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
