/** Settings of the public addresses. */
import type { Config } from './config.ts'
import { readOrigin, readPathVersions } from './readers.ts'
import type { Setting } from './setting.ts'

export const addressSettings: {
  [K in 'baseUrl' | 'authUrl' | 'pathVersions']: Setting<Config[K]>
} = {
  baseUrl: {
    flag: '--base-url <origin>',
    environment: 'QUERENT_BASE_URL',
    default: undefined,
    defaultText: 'http://127.0.0.1:<port>',
    description: 'public address (origin) of the query service, the audience of its tokens',
    read: readOrigin,
  },
  authUrl: {
    flag: '--auth-url <origin>',
    environment: 'QUERENT_AUTH_URL',
    default: undefined,
    defaultText: 'http://127.0.0.1:<auth port>',
    description:
      'public address of the authorization server, the issuer of tokens; it needs an origin of its own',
    read: readOrigin,
  },
  pathVersions: {
    flag: '--path-versions <numbers>',
    environment: 'QUERENT_PATH_VERSIONS',
    default: [],
    defaultText: 'none',
    description:
      'further version numbers, separated by commas, that existing clients write at the start of a path, such as `1`; such a path means the path with 4',
    read: readPathVersions,
  },
}
