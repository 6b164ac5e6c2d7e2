/** Texts of the pages about second factors in English. */

export const factorsEn = {
  /** The step after the password. */
  step: {
    title: 'Confirm that it is you',
    text: 'Your account has a second factor.',
    upgrade: 'This application requires a second factor.',
    code: 'Code from your authenticator app',
    codeHint: 'Six digits. Your app shows another code every 30 seconds.',
    recoveryCode: 'Recovery code',
    recoveryHint: 'One of the codes that you saved, such as 7k2mq-x9d4r. Each works once.',
    submit: 'Continue',
    useRecoveryCode: 'Use a recovery code',
    useApp: 'Use your authenticator app',
    lost: 'Lost your device and your recovery codes? Ask the people who run this server to remove your second factor.',
    noScript: 'Your passkey needs JavaScript. Turn it on, or use a recovery code.',
    faults: {
      missing: 'Enter the code.',
      refused: 'This code is wrong or was used already. Wait for the next one, then try again.',
      recoveryRefused: 'This recovery code is wrong or was used already. Use another one.',
      throttled:
        'Too many wrong codes were entered for this account. Wait an hour, use a recovery code or a passkey, or use a browser you signed in with before.',
      passkey: 'This passkey was not accepted. Try again, or use another way to sign in.',
    },
  },
  passkey: {
    signIn: 'Sign in with a passkey',
    use: 'Use your passkey',
    failed: 'The passkey was not used. Try again, or use another way to sign in.',
    exists: 'This device already has a passkey for your account.',
  },
  /** Before an application of a workspace that requires a second factor. */
  required: {
    title: 'Set up a second factor',
    workspace: (workspace: string) =>
      `${workspace} requires a second factor in addition to your password, so that a stolen password is not enough.`,
    application: (application: string) =>
      `${application} requires a second factor in addition to your password.`,
    app: 'Use an authenticator app',
    passkey: 'Use a passkey',
  },
  offer: {
    title: 'Sign in faster next time?',
    text: 'With a passkey you sign in with your fingerprint, face or screen lock. Nobody can steal or guess it.',
    create: 'Create a passkey',
    later: 'Not now',
  },
  overview: {
    title: 'Second factors',
    text: 'With a second factor, your password alone is not enough to sign in.',
    app: 'Authenticator app',
    appText: 'An app on your phone shows a code that you enter after your password.',
    appSince: (date: string) => `Set up on ${date}.`,
    setUpApp: 'Set up an authenticator app',
    replaceApp: 'Replace the app',
    removeApp: 'Remove the app',
    passkeys: 'Passkeys',
    passkeysText: 'You sign in with your fingerprint, face or screen lock. A passkey counts as two factors.',
    noPasskeys: 'Passkeys need a server with a host name. This one is addressed by IP address.',
    addPasskey: 'Add a passkey',
    passkeyUse: (created: string, lastUsed: string | undefined) =>
      lastUsed === undefined
        ? `Added on ${created}. Not used yet.`
        : `Added on ${created}. Last used on ${lastUsed}.`,
    change: 'Rename or remove',
    recoveryCodes: 'Recovery codes',
    codesLeft: (count: number) =>
      count === 1 ? 'You have 1 unused recovery code.' : `You have ${count} unused recovery codes.`,
    newCodes: 'Get new recovery codes',
    done: {
      'app-removed': 'Your authenticator app was removed.',
      'passkey-removed': 'The passkey was removed.',
      'passkey-added': 'The passkey was added.',
      'passkey-renamed': 'The passkey was renamed.',
      'app-replaced': 'Your authenticator app was replaced.',
    },
    toAccount: 'Back to your account',
    proceed: 'Continue to the application',
  },
  setUpApp: {
    title: 'Set up an authenticator app',
    scan: 'Scan this QR code with an authenticator app.',
    image: 'QR code for your authenticator app',
    byHand: 'Can’t scan it? Enter this key in the app:',
    code: 'Code that the app shows',
    confirm: 'Confirm',
    replaces: 'The app that you have used so far stops working.',
    refused:
      'This code does not fit the QR code. Check that the clock of your phone is right, then enter the current code.',
    cancel: 'Cancel',
  },
  codes: {
    title: 'Save your recovery codes',
    text: 'If you lose your device, a recovery code lets you in instead. Each works once. This page shows them only now.',
    copy: 'Copy',
    copied: 'Copied',
    print: 'Print',
    download: 'Download',
    fileName: 'recovery-codes.txt',
    saved: 'I saved the codes',
    newTitle: 'Get new recovery codes?',
    newText: 'The codes that you have now stop working.',
    create: 'Get new codes',
  },
  removeApp: {
    title: 'Remove your authenticator app?',
    last: 'It is your only second factor. After that, your password alone signs you in, and your recovery codes stop working.',
    others: 'You can still confirm with a passkey.',
    submit: 'Remove',
  },
  passkeyPage: {
    addTitle: 'Add a passkey',
    addText:
      'Your device or security key keeps it. You unlock it with your fingerprint, face, PIN or screen lock.',
    name: 'Name',
    nameHint: 'So that you recognize it later, such as Laptop or Blue key.',
    defaultName: 'Passkey',
    add: 'Add passkey',
    noScript: 'Passkeys need JavaScript and a browser that supports them.',
    refused: 'This passkey was not accepted. Try again.',
    tooMany: 'You have as many passkeys as allowed, or this one is registered already.',
    changeTitle: (name: string) => `Passkey ${name}`,
    save: 'Save',
    remove: 'Remove passkey',
    last: 'It is your only second factor. After that, your password alone signs you in, and your recovery codes stop working.',
  },
}
