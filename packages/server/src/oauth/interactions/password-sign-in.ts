/** The step shared by all forms with address and password. */
import type { LoginFault } from '#oauth/pages/login-page'
import { hasSecondFactor } from '#storage/second-factors'
import { setLanguage } from '#storage/users'
import type { PageDependencies, PageRequest } from './page-request.ts'
import type { Person } from './sign-in.ts'

/** Longest address (RFC 5321, section 4.5.3.1.3). */
export const emailCharactersMax = 254

/**
 * Returns the person, or the fault of the form. Without a second factor, the device is known from then on. With
 * one, the page waits for it (second-factor.ts).
 */
export const signInByForm = async (
  {
    signIn,
    devices,
    pendingSignIns,
    storage,
  }: Pick<PageDependencies, 'signIn' | 'devices' | 'pendingSignIns' | 'storage'>,
  { request, response, pathname, address, locale: { language } }: PageRequest,
  { email, password }: { email: string; password: string },
): Promise<{ person: Person; isPending: boolean } | LoginFault> => {
  if (email === '' || email.length > emailCharactersMax) return 'email-missing'
  if (password === '') return 'password-missing'
  const attempt = {
    email,
    password,
    address,
    findDevice: (person: Person) => devices.find(request, person),
  }
  const person = await signIn.attempt(attempt)
  if (typeof person !== 'object') return person
  const isPending = await hasSecondFactor(storage.db, person.id)
  if (isPending) pendingSignIns.start(response, pathname, person)
  else devices.remember(request, response, person)
  // For later mails.
  if (person.language !== language) await storage.write(writer => setLanguage(writer, person.id, language))
  return { person, isPending }
}
