/** Settings that the services receive, from the configuration. */
import type { LogStream } from '#http/server'
import type { QueryDependencies } from '#query/query-context'
import type { MailSettings } from './accounts/mail.ts'
import type { EmbeddingSettings } from './embedding/open-embedding.ts'
import type { RegistrationSettings } from './oauth/clients/registration.ts'

/** Addresses and limits; the URLs have no trailing slash. */
export interface AppSettings extends EmbeddingSettings, MailSettings, RegistrationSettings {
  baseUrl: string
  authUrl: string
  /** Further version numbers in paths. */
  pathVersions: readonly string[]
  logLevel: string
  logStream: LogStream
  trustedProxy: string[]
  rateLimit: number | 'off'
  queriesAtOnce: number
  queriesWaiting: number
  queryTimeoutMs: number
  staleSeconds: number
  openCollections: number
  /** Limits of the process that are too low for the settings, a sentence each. */
  limitWarnings: readonly string[]
  /** Threads that answer queries, this one included. */
  workers: number
  requestCounter?: QueryDependencies['requestCounter']
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  keyRotationDays: number | 'off'
  data: string
  tokenShortcut: 'on' | 'off'
  queryShortcut: 'on' | 'off'
  signInThrottle: number | 'off'
  signInLogDays: number
  passwordLengthMin: number
  invitationThrottle: number | 'off'
  /** Whether the query service also serves the search page of `querent demo`. Further threads don't: a demo has none. */
  isDemo?: boolean
  dnsServers: string[]
}
