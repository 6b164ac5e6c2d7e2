/** The step that every form with address and password shares. */
import type { LoginFault } from '#oauth/pages/login-page'
import { setLanguage } from '#storage/users'
import type { PageDependencies, PageRequest } from './page-request.ts'
import type { Person } from './sign-in.ts'

/** The longest address there is (RFC 5321, section 4.5.3.1.3). */
export const emailCharactersMax = 254

/** Who signed in, whose device is a known one from then on; or what is wrong with the form. */
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
  // For mails to come.
  if (person.language !== language) await storage.write(writer => setLanguage(writer, person.id, language))
  return person
}
