/** What the pages say, in English. Every other language has the same shape. */
import type { Weakness } from '#http/password-strength'

const weaknesses: Record<Weakness, string> = {
  keyboard: 'neighbouring keys are among the first things that are tried',
  repeated: 'repeated characters are easy to guess',
  sequence: 'sequences such as abc or 6543 are easy to guess',
  date: 'dates and years are easy to guess',
  common: 'it is, or is close to, one of the passwords used most',
  'single-word': 'a single word is easy to guess',
  name: 'names are easy to guess',
  personal: 'it is made of your own name or address',
  guessable: 'it can be guessed too quickly',
}

export const en = {
  email: 'E-mail address',
  password: 'Password',
  faultInTitle: (title: string) => `Error: ${title}`,
  signedInAs: (email: string) => `Signed in as ${email}.`,
  otherAccount: 'Use another account',
  forgot: 'Forgot your password?',
  toSignIn: 'Back to signing in',
  emailMissing: 'Enter your e-mail address, such as ada@example.org.',
  passwordMissing: 'Enter your password.',
  refused: 'E-mail address or password is wrong. Check both, and try again.',
  throttled:
    'Too many attempts. Wait a minute, then try again; or choose a new password by “Forgot your password?”.',
  newPassword: {
    label: 'New password',
    advice: 'At least 8 characters. A few words that do not belong together work well.',
    missing: 'Choose a password.',
    tooShort: 'That is too short: use at least 8 characters.',
    tooLong: 'That is too long: use at most 1,000 bytes.',
    weak: (weakness: Weakness) =>
      `Choose another one: ${weaknesses[weakness]}. A few words that do not belong together work well.`,
  },
  login: {
    title: 'Sign in',
    to: (application: string, workspace: string | undefined) =>
      workspace === undefined ? `to ${application}` : `to ${application} of ${workspace}`,
    again: 'Please sign in once more to go on.',
    submit: 'Sign in',
    cancel: 'Cancel',
  },
  member: {
    title: 'You are not a member',
    text: (email: string, workspace: string) =>
      `${email} is not a member of the workspace ${workspace}, or may not search there.`,
    ask: (workspace: string) => `Ask an administrator of ${workspace} to invite this address.`,
    back: (application: string) => `Back to ${application}`,
  },
  consent: {
    title: (application: string) => `Allow ${application}?`,
    ofWorkspace: (workspace: string) => `An application of the workspace ${workspace}.`,
    ofServer: 'An application of this server.',
    asks: 'It will be able to',
    allow: 'Allow',
    deny: 'Do not allow',
    sendsBack: (place: string) => `Either way you go back to ${place}.`,
    later: 'You can withdraw this at any time.',
    permissions: {
      openid: 'recognise you when you come back',
      profile: 'see your name',
      email: 'see your e-mail address',
      offline: 'keep this access while you are away, until you withdraw it',
      search: 'search everything that you may search in this workspace, as you',
      searchIn: (address: string) => `search ${address}, as you`,
      manage: 'change everything that you may change on this server, as you',
      claim: (name: string) => `see your ${name}`,
    },
    claims: { name: 'name', email: 'e-mail address', email_verified: 'e-mail address' },
  },
  logout: {
    title: 'Sign out?',
    text: (application: string | undefined) =>
      application === undefined
        ? 'You will be signed out here, and in the applications that you signed in to from this browser, but for those that you allowed to keep access while you are away.'
        : `${application} asks to sign you out: here, and in the applications that you signed in to from this browser, but for those that you allowed to keep access while you are away.`,
    submit: 'Sign out',
  },
  loggedOut: {
    title: 'You are signed out',
    text: (application: string | undefined) =>
      application === undefined
        ? 'You may close this page.'
        : `You may close this page, or go back to ${application}.`,
  },
  forgotten: {
    title: 'Choose a new password',
    text: 'We mail you a link by which you can choose one.',
    submit: 'Send the link',
    noMail:
      'This server sends no mails. Ask the people who run it for a link by which you can choose a new password.',
    sentTitle: 'Look into your mail',
    sent: (email: string) => `A mail is on its way to ${email}. The link in it works once, for an hour.`,
    sentNothing: 'Nothing there after a few minutes? Look among the unwanted mails, or try another address.',
  },
  reset: {
    title: 'Choose a new password',
    text: 'You will be signed out everywhere else.',
    submit: 'Save',
    doneTitle: 'Your password is saved',
    done: 'You were signed out everywhere. Go back to the application and sign in with the new password.',
    goOn: 'Sign in',
    goneTitle: 'This link no longer works',
    gone: 'It was used, has expired, or a newer one took its place.',
    another: 'Get another link',
  },
  invitation: {
    title: (workspace: string) => `Join ${workspace}`,
    text: (inviter: string, workspace: string) => `${inviter} invited you to the workspace ${workspace}.`,
    someone: 'Somebody',
    name: 'Your name',
    nameMissing: 'Enter your name, as others should see it.',
    join: 'Join',
    signInAndJoin: 'Sign in and join',
    otherTitle: 'This invitation is for somebody else',
    other: (invited: string) => `It is for ${invited}.`,
    switchTo: (invited: string) => `Sign out and go on as ${invited}`,
    joinedTitle: (workspace: string) => `You are a member of ${workspace}`,
    joined: (email: string) => `Open the application that you want to use and sign in as ${email}.`,
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
          `Ask an administrator of ${workspace} whether there is another one. A newer invitation takes the place of an older.`,
      },
    },
    unknownTitle: 'There is no such invitation',
    unknown: 'Is the address complete? Copy it once more from the mail or message that it came in.',
  },
  error: {
    requestId: 'Number of this request',
    kinds: {
      expired: {
        title: 'This page has expired',
        text: 'It was open for too long, was used already, or was begun in another browser. Go back to the application and sign in again. Your browser must accept cookies from this server.',
      },
      forged: {
        title: 'This form cannot be accepted',
        text: 'It was open for too long or was not sent from our own page. Go back, load the page again and repeat what you did. Your browser must accept cookies from this server.',
      },
      missing: { title: 'There is nothing here', text: 'Check the address, or go back to the application.' },
      method: {
        title: 'This page cannot be used like that',
        text: 'Go back to the application and start again.',
      },
      tooLong: {
        title: 'That is too long',
        text: 'What you sent is longer than 16 KiB. Go back and shorten it.',
      },
      request: {
        title: 'The application asked for something impossible',
        text: 'Go back and try again. If it happens again, tell the people who make the application what stands below.',
      },
      unavailable: {
        title: 'We cannot answer right now',
        text: 'Try again in a minute. If it happens again, tell the people who run this server the number below.',
      },
      fault: {
        title: 'Something went wrong on our side',
        text: 'Try again in a minute. If it happens again, tell the people who run this server the number below.',
      },
    },
  },
}

export type Texts = typeof en
