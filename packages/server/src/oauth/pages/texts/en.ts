/** Texts of the pages in English. Other languages have the same shape. */
import type { Weakness } from '#workers/password-estimator'
import { factorsEn } from './factors-en.ts'
import { providerEn } from './provider-en.ts'

const weaknesses: Record<Weakness, string> = {
  keyboard: 'neighboring keys are easy to guess',
  repeated: 'repeated characters are easy to guess',
  sequence: 'sequences such as abc or 6543 are easy to guess',
  date: 'dates and years are easy to guess',
  common: 'it is, or is similar to, a common password',
  'single-word': 'a single word is easy to guess',
  name: 'names are easy to guess',
  personal: 'it contains your own name or address',
  guessable: 'it can be guessed too quickly',
}

export const en = {
  languages: 'Language',
  terms: 'Terms',
  privacy: 'Privacy',
  email: 'E-mail address',
  password: 'Password',
  showPassword: { show: 'Show password', hide: 'Hide password' },
  faultInTitle: (title: string) => `Error: ${title}`,
  signedInAs: (email: string) => `Signed in as ${email}.`,
  otherAccount: 'Use another account',
  forgot: 'Forgot your password?',
  toSignIn: 'Back to sign-in',
  emailMissing: 'Enter your e-mail address, such as ada@example.org.',
  passwordMissing: 'Enter your password.',
  refused: 'The e-mail address or password is wrong. Check both and try again.',
  throttled: {
    before:
      'Too many wrong passwords were tried for this account or from this network. Wait a minute, use a browser you signed in with before, or',
    link: 'reset your password by e-mail',
    after: ' to get in right away.',
    noMail:
      'Too many wrong passwords were tried for this account or from this network. Wait a minute, use a browser you signed in with before, or ask the people who run this server for a link to choose a new password.',
  },
  switchAccount: 'Sign out and use another account',
  back: (application: string) => `Back to ${application}`,
  ways: {
    start: 'Go to the start page',
    console: 'Open the console',
    logout: 'Sign out',
    again: 'Reload the page',
    'sign-in': 'Continue',
    application: (title: string) => `Go to ${title}`,
    native: (title: string) => `Go back to ${title} on your device.`,
  },
  newPassword: {
    label: 'New password',
    advice: 'At least 8 characters. A few unrelated words work well.',
    missing: 'Choose a password.',
    tooShort: 'Too short: use at least 8 characters.',
    tooLong: 'Too long: use at most 1,000 bytes.',
    throttled: 'Too many attempts. Wait a minute, then try again.',
    weaknesses,
    weak: (reason: string) => `Choose another one: ${reason}. A few unrelated words work well.`,
  },
  login: {
    title: 'Sign in',
    to: (application: string, workspace: string | undefined) =>
      workspace === undefined ? `to ${application}` : `to ${application} of ${workspace}`,
    again: 'Please sign in again to continue.',
    submit: 'Sign in',
    cancel: 'Cancel',
  },
  factors: factorsEn,
  provider: providerEn,
  member: {
    title: 'You are not a member',
    text: (email: string, workspace: string) =>
      `${email} is not a member of the workspace ${workspace}, or has no permission to search there.`,
    ask: (workspace: string) => `Ask an administrator of ${workspace} to invite this address.`,
  },
  wrongAccount: {
    title: 'Another account is required',
    text: (application: string) => `${application} requires a different account.`,
  },
  consent: {
    title: (application: string) => `Allow ${application} to access your account?`,
    ofWorkspace: (workspace: string) => `An application of the workspace ${workspace}.`,
    ofServer: 'An application of this server.',
    ofHost: (host: string, workspace: string) =>
      `This application says that it belongs to ${host}. It is not registered with the workspace ${workspace}, and its name is not verified. Allow it only if you trust ${host}.`,
    asks: 'It will be able to:',
    allow: 'Allow',
    deny: 'Do not allow',
    undecided: 'Choose “Allow” or “Do not allow”.',
    sendsBack: (place: string) => `Either way, you return to ${place}.`,
    later: 'You can withdraw this at any time.',
    permissions: {
      openid: 'recognize you when you return',
      profile: 'see your name',
      email: 'see your e-mail address',
      offline: 'keep this access while you are away, until you withdraw it',
      search: 'search on your behalf everything you can search in this workspace',
      searchIn: (address: string) => `search ${address} on your behalf`,
      manage: 'change on your behalf everything you can change on this server',
      claim: (name: string) => `see your ${name}`,
    },
    claims: { name: 'name', email: 'e-mail address', email_verified: 'e-mail address' },
  },
  device: {
    title: 'Connect a device',
    text: 'Enter the code that your device or program shows.',
    label: 'Code',
    hint: 'Eight letters, such as WDJB-MJHT.',
    submit: 'Continue',
    faults: {
      missing: 'Enter the code, such as WDJB-MJHT.',
      unknown: 'No device shows this code. Check it and try again.',
      expired: 'This code has expired. Start again on your device to get another one.',
      used: 'This code was used already. Start again on your device to get another one.',
      throttled: 'Too many wrong codes were entered from your network. Wait a minute, then try again.',
    },
    confirmTitle: (application: string) => `Connect ${application} to your account?`,
    compare: 'Your device must show this code:',
    warning:
      'Continue only if you started this yourself, on a device in your hands. If somebody sent you the code or the link, do not connect.',
    connect: 'Connect',
    refuse: 'Do not connect',
    connectedTitle: 'Your device is connected',
    connected: (application: string) => `Go back to ${application} on your device. You can close this page.`,
    refusedTitle: 'The device was not connected',
    refused: 'It got no access. You can close this page.',
  },
  formPost: {
    title: (application: string | undefined) =>
      application === undefined ? 'Back to the application' : `Back to ${application}`,
    text: 'You are being redirected. If nothing happens, press the button.',
    submit: 'Continue',
  },
  webMessage: { text: 'You can close this window.' },
  start: {
    title: 'Sign-in for search',
    text: 'People sign in here, and programs get access tokens for the query service. To sign in to an application, start in that application.',
    queries: 'The query service',
    metadata: 'Metadata for programs',
  },
  queryService: {
    title: 'Search for programs',
    text: 'This is a Querent query service. Programs and agents send their queries to this address. People use the console.',
    search: 'Search the demo',
    query: 'Address of a query',
    docs: 'Documentation',
  },
  logout: {
    title: 'Sign out?',
    text: (application: string | undefined) =>
      application === undefined
        ? 'You will be signed out here and in all applications you signed in to with this browser, except those allowed to keep access while you are away.'
        : `${application} wants to sign you out here and in all applications you signed in to with this browser, except those allowed to keep access while you are away.`,
    submit: 'Sign out',
  },
  loggedOut: {
    title: 'You are signed out',
    text: (application: string | undefined) =>
      application === undefined
        ? 'You can close this page.'
        : `You can close this page or return to ${application}.`,
  },
  forgotten: {
    title: 'Choose a new password',
    text: 'We’ll e-mail you a link to choose a new password.',
    submit: 'Send link',
    noMail:
      'This server cannot send e-mail. Ask the people who run it for a link to choose a new password. If you run it, the command querent users reset, followed by your e-mail address, prints one.',
    sentTitle: 'Check your e-mail',
    sent: (email: string) => `We sent an e-mail to ${email}. Its link works once, for an hour.`,
    sentNothing: 'If nothing arrives in a few minutes, check your spam folder or try another address.',
  },
  changeEmail: {
    title: 'Confirm your new e-mail address',
    text: (before: string, email: string) =>
      `Your account ${before} will use the address ${email} from now on.`,
    effect: 'You will be signed out everywhere else.',
    submit: 'Confirm',
    cancel: 'Keep the old address',
    doneTitle: 'Your e-mail address has changed',
    done: (email: string) => `Sign in with ${email} from now on.`,
    toAccount: 'Go to your account',
    gone: 'It was used, replaced or canceled, or has expired. You can change your address again on your account page.',
    otherTitle: 'This link is for another account',
    other:
      'Sign out, then open the link again and sign in with the account whose address you want to change.',
  },
  reset: {
    title: 'Choose a new password',
    text: 'You will be signed out everywhere else.',
    firstTitle: 'Choose a password',
    firstText: 'You’ll sign in with your e-mail address and this password.',
    submit: 'Save',
    doneTitle: 'Your password is saved',
    done: 'Sign in with it here or in the application you came from. You have been signed out everywhere else.',
    doneSignedIn: (email: string) => `Signed in as ${email}.`,
    goneTitle: 'This link no longer works',
    gone: 'It was used, has expired, or was replaced by a newer one.',
    another: 'Request another link',
  },
  invitation: {
    title: (workspace: string) => `Join ${workspace}`,
    text: (inviter: string, workspace: string) => `${inviter} invited you to the workspace ${workspace}.`,
    someone: 'Somebody',
    name: 'Your name',
    nameMissing: 'Enter your name, as others should see it.',
    join: 'Join',
    signInAndJoin: 'Sign in and join',
    otherTitle: 'This invitation is for someone else',
    other: (invited: string) => `It is for ${invited}.`,
    switchTo: (invited: string) => `Sign out and continue as ${invited}`,
    joinedTitle: (workspace: string) => `You are a member of ${workspace}`,
    joined: (email: string) =>
      `Continue here, or open the application you want to use, and sign in as ${email}.`,
    joinedSignedIn: (email: string) =>
      `Signed in as ${email}. Continue here, or open the application you want to use.`,
    states: {
      expired: {
        title: 'This invitation has expired',
        text: (workspace: string) =>
          `Invitations last 7 days. Ask an administrator of ${workspace} for another one.`,
      },
      accepted: {
        title: 'This invitation was used',
        text: (workspace: string) =>
          `If it was you, you are a member of ${workspace}: open the application that you want to use and sign in. If not, tell an administrator of the workspace.`,
      },
      withdrawn: {
        title: 'This invitation was withdrawn',
        text: (workspace: string) =>
          `A newer invitation may have replaced it. If not, ask an administrator of ${workspace}.`,
      },
    },
    unknownTitle: 'Invitation not found',
    unknown: 'Check that the address is complete. Copy it again from the e-mail or message.',
  },
  error: {
    requestId: 'Request ID',
    /** For developers of the application; `name` is the parameter. */
    reasons: {
      client: (_name: string) => 'No application has this client_id, or it is disabled.',
      redirect: (_name: string) =>
        'redirect_uri is not registered for this application: it must match exactly.',
      missing: (name: string) => `The request is missing ${name}.`,
      twice: (name: string) => `The request has ${name} more than once.`,
      logoutAddress: (name: string) => `${name} is not registered for this application.`,
      hint: (name: string) => `${name} is not an ID token of this server for this application.`,
      tooLong: (_name: string) => 'The form is too long.',
      /** Precedes a description that exists only in English. */
      other: '',
    },
    kinds: {
      expired: {
        title: 'This page has expired',
        text: 'You already finished here, the page was open for too long, or it was started in another browser. Go back to the application and sign in there if it asks. Your browser must accept cookies from this server.',
      },
      forged: {
        title: 'This form cannot be accepted',
        text: 'It was open for too long or was not sent from our own page. Reload the page and try again. Your browser must accept cookies from this server.',
      },
      missing: {
        title: 'Page not found',
        text: 'Check the address, or go back to where you came from.',
      },
      method: {
        title: 'This request method is not supported',
        text: 'Go back to the application and start again.',
      },
      tooLong: {
        title: 'Input too long',
        text: 'What you sent is longer than 16 KiB. Go back and shorten it.',
      },
      tooMany: {
        title: 'Too many sign-ins from here',
        text: 'Too many sign-ins were started from your network. Wait a minute, then go back and try again.',
      },
      request: {
        title: 'This sign-in request is not valid',
        text: 'Go back and try again. If it happens again, send the details below to the developers of the application.',
      },
      logoutRequest: {
        title: 'This sign-out request is not valid',
        text: 'Go back and try again. If it happens again, send the details below to the developers of the application.',
      },
      unavailable: {
        title: 'Service unavailable',
        text: 'Try again in a minute. If it happens again, send the request ID below to the people who run this server.',
      },
      fault: {
        title: 'The server failed',
        text: 'Try again in a minute. If it happens again, send the request ID below to the people who run this server.',
      },
    },
  },
}

export type Texts = typeof en
