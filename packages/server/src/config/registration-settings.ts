/** Settings about applications that register themselves (RFC 7591). Rows of the table of all settings. */
import { defaultNativeSchemes } from '@querent/contract/client-uris'
import type { Config } from './config.ts'
import { nonEmptyReader, readNativeSchemes } from './readers.ts'
import type { Setting } from './setting.ts'

export const registrationSettings: {
  [K in 'openRegistration' | 'nativeSchemes']: Setting<Config[K]>
} = {
  openRegistration: {
    flag: '--open-registration <workspace>',
    environment: 'QUERENT_OPEN_REGISTRATION',
    default: undefined,
    defaultText: 'none',
    description:
      'workspace in which anybody may register an application (RFC 7591); without it an application needs an initial access token',
    read: nonEmptyReader('the name of a workspace'),
  },
  nativeSchemes: {
    flag: '--native-schemes <schemes>',
    environment: 'QUERENT_NATIVE_SCHEMES',
    default: defaultNativeSchemes,
    defaultText: defaultNativeSchemes.join(','),
    description:
      'schemes without a dot, separated by commas, that native applications may use for redirect URIs, such as `cursor`; replaces the list of known editors; schemes with a dot (org.example.app) are always allowed',
    read: readNativeSchemes,
  },
}
