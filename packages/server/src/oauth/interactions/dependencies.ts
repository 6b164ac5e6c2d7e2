/** The parts that the pages of interactions need. */
import type { IncomingMessage } from 'node:http'
import type Provider from 'oidc-provider'
import type { SignInLog } from '#authz/sign-in-log'
import type { Keyring } from '#keys/keyring'
import type { ProviderKeys } from '#oauth/identity-provider/provider-keys'
import type { RelyingParty } from '#oauth/identity-provider/relying-party'
import type { SignInRenewal } from '#oauth/identity-provider/sign-in-renewal'
import type { ConsentService } from '#oauth/library/interaction-types'
import type { Log } from '#oauth/library/log'
import type { Storage } from '#storage/db'
import type { Directory } from '#storage/directory'
import type { RepeatedForms } from './repeated-forms.ts'

export interface InteractionsDependencies {
  /** Returns the current provider, which changes when keys rotate. */
  provider: () => Provider
  storage: Storage
  directory: Directory
  keyring: Pick<Keyring, 'derive'>
  consentService: ConsentService
  /** Without a trailing slash. */
  authUrl: string
  baseUrl: string
  /** Former host names of this server that people had passkeys of when it started. */
  formerPasskeyHosts: readonly string[]
  clientAddress: (request: IncomingMessage) => string
  signInLog: Pick<SignInLog, 'record'>
  /** Keys of workspaces' own OpenID providers. */
  providerKeys: ProviderKeys
  /** This server as a client of them. */
  relyingParty: RelyingParty
  signInRenewal: Pick<SignInRenewal, 'keepToken'>
  log: Log
  /** Forms that a browser sends twice. */
  repeatedForms: RepeatedForms
}
