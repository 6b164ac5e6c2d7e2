/** The step that every form with address and password shares. */
import type { LoginFault } from '#oauth/pages/login-page'
import { setLanguage } from '#storage/users'
import type { Person } from './sign-in.ts'
import type { Deps, Visit } from './visit.ts'

/** The longest address there is (RFC 5321, section 4.5.3.1.3). */
export const emailCharactersMax = 254

/** Who signed in, whose device is a known one from then on; or what is wrong with the form. */
export const signInByForm = async (
  { signIn, devices, storage }: Pick<Deps, 'signIn' | 'devices' | 'storage'>,
  { request, response, address, speech: { language } }: Visit,
  { email, password }: { email: string; password: string },
): Promise<Person | LoginFault> => {
  if (email === '' || email.length > emailCharactersMax) return 'email-missing'
  if (password === '') return 'password-missing'
  const attempt = {
    email,
    password,
    address,
    knownDevice: (person: Person) => devices.known(request, person),
  }
  const person = await signIn.attempt(attempt)
  if (typeof person !== 'object') return person
  devices.remember(request, response, person)
  // For mails to come.
  if (person.language !== language) await storage.write(writer => setLanguage(writer, person.id, language))
  return person
}
