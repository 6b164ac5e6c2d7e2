/** The filters of the sign-in log in the address. */
import { type SignInKind, signInKinds } from '@querent/contract/manage'

export interface SignInSearch {
  outcome?: 'ok' | 'failed'
  kind?: SignInKind
  user?: string
  /** IP address, or its beginning. */
  address?: string
  /** RFC 3339. */
  from?: string
}

const isKind = (text: unknown): text is SignInKind => signInKinds.some(kind => kind === text)

/** `?address=10` is read as a number. */
const readText = (value: unknown): string | undefined => {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' ? text : undefined
}

export const readSignInSearch = (search: Record<string, unknown>): SignInSearch => {
  const { outcome, kind, from } = search
  const user = readText(search.user)
  const address = readText(search.address)
  return {
    ...(outcome === 'ok' || outcome === 'failed' ? { outcome } : {}),
    ...(isKind(kind) ? { kind } : {}),
    ...(user === undefined ? {} : { user }),
    ...(address !== undefined && /^[0-9A-Fa-f:.]{1,45}$/.test(address) ? { address } : {}),
    ...(typeof from === 'string' && !Number.isNaN(Date.parse(from)) ? { from } : {}),
  }
}
