/** What the pages say, in English. Every other language has the same shape. */
import type { Weakness } from '#workers/password-estimator'

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
  throttled: {
    before:
      'Too many wrong passwords were tried for this account or from this network. Wait a minute, use a browser that you signed in with before, or',
    link: 'choose a new password by mail',
    after: ': that lets you in now.',
    noMail:
      'Too many wrong passwords were tried for this account or from this network. Wait a minute, use a browser that you signed in with before, or ask the people who run this server for a link by which you choose a new password: that lets you in now.',
  },
  switchAccount: 'Sign out and use another account',
  back: (application: string) => `Back to ${application}`,
  ways: {
    start: 'Go to the start page',
    console: 'Open the console',
    logout: 'Sign out',
    again: 'Load the page again',
    'sign-in': 'Go on',
    application: (title: string) => `Go to ${title}`,
    native: (title: string) => `Go back to ${title} on your device.`,
  },
  newPassword: {
    label: 'New password',
    advice: 'At least 8 characters. A few words that do not belong together work well.',
    missing: 'Choose a password.',
    tooShort: 'That is too short: use at least 8 characters.',
    tooLong: 'That is too long: use at most 1,000 bytes.',
    throttled: 'Too many passwords were tried. Wait a minute, then try again.',
    weaknesses,
    weak: (reason: string) =>
      `Choose another one: ${reason}. A few words that do not belong together work well.`,
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
  },
  wrongAccount: {
    title: 'This needs another account',
    text: (application: string) => `${application} asks for another account than this one.`,
  },
  consent: {
    title: (application: string) => `Allow ${application}?`,
    ofWorkspace: (workspace: string) => `An application of the workspace ${workspace}.`,
    ofServer: 'An application of this server.',
    asks: 'It will be able to',
    allow: 'Allow',
    deny: 'Do not allow',
    undecided: 'You have not decided yet: press “Allow” or “Do not allow”.',
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
  formPost: {
    title: (application: string | undefined) =>
      application === undefined ? 'Back to the application' : `Back to ${application}`,
    text: 'You are being sent back. If nothing happens, press the button.',
    submit: 'Continue',
  },
  start: {
    title: 'Sign-in for search',
    text: 'At this address people sign in, and programs get the access tokens that open the query service. To sign in to an application, start there.',
    queries: 'The query service',
    metadata: 'For programs: what this server offers',
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
      'This server sends no mails. Ask the people who run it for a link by which you can choose a new password. Do you run it? The command querent users reset, followed by your e-mail address, prints one.',
    sentTitle: 'Look into your mail',
    sent: (email: string) => `A mail is on its way to ${email}. The link in it works once, for an hour.`,
    sentNothing: 'Nothing there after a few minutes? Look among the unwanted mails, or try another address.',
  },
  reset: {
    title: 'Choose a new password',
    text: 'You will be signed out everywhere else.',
    firstTitle: 'Choose a password',
    firstText: 'With your e-mail address and this password you sign in from now on.',
    submit: 'Save',
    doneTitle: 'Your password is saved',
    done: 'Sign in with it, here or in the application that you came from. Where you were signed in before, you no longer are.',
    doneSignedIn: (email: string) => `Signed in as ${email}.`,
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
    joined: (email: string) =>
      `Go on here, or open the application that you want to use, and sign in as ${email}.`,
    joinedSignedIn: (email: string) =>
      `Signed in as ${email}. Go on here, or open the application that you want to use.`,
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
    /** For the makers of the application; `name` is what the request says. */
    reasons: {
      client: (_name: string) => 'There is no application with this client_id, or it is disabled.',
      redirect: (_name: string) =>
        'redirect_uri is none of those registered for this application: it must be the same, character by character.',
      missing: (name: string) => `The request lacks ${name}.`,
      twice: (name: string) => `The request has ${name} more than once.`,
      logoutAddress: (name: string) => `${name} is none of those registered for this application.`,
      hint: (name: string) => `${name} is no ID token of this server for this application.`,
      tooLong: (_name: string) => 'The form is too long.',
      /** Said before a description that there is in English only. */
      other: '',
    },
    kinds: {
      expired: {
        title: 'This page has expired',
        text: 'You finished here already, it was open for too long, or it was begun in another browser. Nothing is lost: go to the application, and sign in there if it asks. Your browser must accept cookies from this server.',
      },
      forged: {
        title: 'This form cannot be accepted',
        text: 'It was open for too long or was not sent from our own page. Load the page again and repeat what you did. Your browser must accept cookies from this server.',
      },
      missing: {
        title: 'There is nothing here',
        text: 'Check the address, or go back to where you came from.',
      },
      method: {
        title: 'This page cannot be used like that',
        text: 'Go back to the application and start again.',
      },
      tooLong: {
        title: 'That is too long',
        text: 'What you sent is longer than 16 KiB. Go back and shorten it.',
      },
      tooMany: {
        title: 'Too many sign-ins from here',
        text: 'Very many sign-ins were begun from your network just now. Nothing is wrong with you or the application: wait a minute, then go back and try again.',
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
