/** English texts about signing in through a workspace's own OpenID provider. */
export const providerEn = {
  next: 'Continue',
  with: (name: string) => `Continue with ${name}`,
  password: 'Sign in with a password instead',
  organization: 'Sign in with your organization',
  choose: {
    title: 'Sign in with your organization',
    text: (email: string) => `Choose where ${email} signs in. Check that you know the address below it.`,
  },
  factor:
    'Your organization signed you in with one factor only. Turn on two-step verification there, then sign in again.',
  account: {
    title: 'Sign in to your account',
    text: 'Your organization signed you in to its workspace only. To change your account, sign in with your password or a passkey. If you have no password, choose one with "Forgot your password?".',
    signIn: 'Sign in',
  },
  faults: {
    'provider-down':
      "Your organization's sign-in does not answer at the moment. Try again later, or use your password or a passkey if you have one.",
    'provider-denied': "You canceled the sign-in of your organization, or it didn't let you in.",
    'provider-refused':
      "The answer of your organization's sign-in was not accepted. Try again; if it happens again, tell an administrator.",
    'provider-none': 'No organization signs in people with this e-mail address. Use your password.',
    'provider-email-missing':
      "Your organization's sign-in gave no e-mail address. Ask its administrator to include the address.",
    'provider-email-unverified':
      "Your organization's sign-in has not verified your e-mail address. Verify it there, then try again.",
    'provider-domain':
      'Your organization signed you in with an e-mail address of a domain that this workspace does not accept.',
    'provider-other-person':
      'This e-mail address already belongs to another person of your organization. Ask an administrator of the workspace.',
    'provider-no-access':
      'Your organization signed you in, but you have no role in this workspace. Ask an administrator for access.',
    'provider-disabled': 'This account is disabled. Ask the people who run this server.',
  },
}
