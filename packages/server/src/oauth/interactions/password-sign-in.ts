/** The step shared by all forms with address and password. */
import type { LoginFault } from '#oauth/pages/login-page'
import { setLanguage } from '#storage/users'
import type { PageDependencies, PageRequest } from './page-request.ts'
import type { Person } from './sign-in.ts'

/** Longest address (RFC 5321, section 4.5.3.1.3). */
export const emailCharactersMax = 254

/** Returns the person, whose device is known from then on, or the fault of the form. */
export const signInByForm = async (
  { signIn, devices, storage }: Pick<PageDependencies, 'signIn' | 'devices' | 'storage'>,
  { request, response, address, locale: { language } }: PageRequest,
  { email, password }: { email: string; password: string },
): Promise<Person | LoginFault> => {
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
  devices.remember(request, response, person)
  // For later mails.
  if (person.language !== language) await storage.write(writer => setLanguage(writer, person.id, language))
  return person
}
