/** Texts of the pages about second factors in Dutch. */
import type { factorsEn } from './factors-en.ts'

export const factorsNl: typeof factorsEn = {
  step: {
    title: 'Bevestig dat u het bent',
    text: 'Uw account heeft een tweede factor.',
    upgrade: 'Deze toepassing vereist een tweede factor.',
    code: 'Code uit uw authenticator-app',
    codeHint: 'Zes cijfers. Uw app toont elke 30 seconden een andere code.',
    recoveryCode: 'Herstelcode',
    recoveryHint: 'Een van de codes die u hebt bewaard, bijvoorbeeld 7k2mq-x9d4r. Elke code werkt één keer.',
    submit: 'Verdergaan',
    useRecoveryCode: 'Een herstelcode gebruiken',
    useApp: 'Uw authenticator-app gebruiken',
    lost: 'Bent u uw apparaat en uw herstelcodes kwijt? Vraag de mensen die deze server beheren om uw tweede factor te verwijderen.',
    noScript: 'Uw passkey heeft JavaScript nodig. Zet het aan of gebruik een herstelcode.',
    faults: {
      missing: 'Vul de code in.',
      refused: 'Deze code klopt niet of is al gebruikt. Wacht op de volgende en probeer het opnieuw.',
      recoveryRefused: 'Deze herstelcode klopt niet of is al gebruikt. Gebruik een andere.',
      throttled:
        'Voor dit account zijn te veel verkeerde codes ingevuld. Wacht een uur, gebruik een herstelcode of een passkey, of gebruik een browser waarmee u zich eerder hebt aangemeld.',
      passkey: 'Deze passkey is niet geaccepteerd. Probeer het opnieuw of meld u anders aan.',
    },
  },
  passkey: {
    signIn: 'Aanmelden met een passkey',
    use: 'Uw passkey gebruiken',
    failed: 'De passkey is niet gebruikt. Probeer het opnieuw of meld u anders aan.',
    exists: 'Dit apparaat heeft al een passkey voor uw account.',
  },
  required: {
    title: 'Stel een tweede factor in',
    workspace: workspace =>
      `${workspace} vereist naast uw wachtwoord een tweede factor. Dan is een gestolen wachtwoord niet genoeg.`,
    application: application => `${application} vereist naast uw wachtwoord een tweede factor.`,
    app: 'Een authenticator-app gebruiken',
    passkey: 'Een passkey gebruiken',
  },
  offer: {
    title: 'Volgende keer sneller aanmelden?',
    text: 'Met een passkey meldt u zich aan met uw vingerafdruk, gezicht of schermvergrendeling. Niemand kan die stelen of raden.',
    create: 'Een passkey maken',
    later: 'Nu niet',
  },
  overview: {
    title: 'Tweede factoren',
    text: 'Met een tweede factor is uw wachtwoord alleen niet genoeg om u aan te melden.',
    app: 'Authenticator-app',
    appText: 'Een app op uw telefoon toont een code die u na uw wachtwoord invult.',
    appSince: date => `Ingesteld op ${date}.`,
    setUpApp: 'Een authenticator-app instellen',
    replaceApp: 'De app vervangen',
    removeApp: 'De app verwijderen',
    passkeys: 'Passkeys',
    passkeysText:
      'U meldt zich aan met uw vingerafdruk, gezicht of schermvergrendeling. Een passkey telt als twee factoren.',
    noPasskeys: 'Passkeys vereisen een server met een hostnaam. Deze server heeft een IP-adres.',
    addPasskey: 'Een passkey toevoegen',
    passkeyUse: (created, lastUsed) =>
      lastUsed === undefined
        ? `Toegevoegd op ${created}. Nog niet gebruikt.`
        : `Toegevoegd op ${created}. Laatst gebruikt op ${lastUsed}.`,
    change: 'Naam wijzigen of verwijderen',
    recoveryCodes: 'Herstelcodes',
    codesLeft: count =>
      count === 1 ? 'U hebt 1 ongebruikte herstelcode.' : `U hebt ${count} ongebruikte herstelcodes.`,
    newCodes: 'Nieuwe herstelcodes maken',
    done: {
      'app-removed': 'Uw authenticator-app is verwijderd.',
      'passkey-removed': 'De passkey is verwijderd.',
      'passkey-added': 'De passkey is toegevoegd.',
      'passkey-renamed': 'De naam van de passkey is gewijzigd.',
      'app-replaced': 'Uw authenticator-app is vervangen.',
    },
    toAccount: 'Terug naar uw account',
    proceed: 'Verder naar de toepassing',
  },
  setUpApp: {
    title: 'Stel een authenticator-app in',
    scan: 'Scan deze QR-code met een authenticator-app.',
    image: 'QR-code voor uw authenticator-app',
    byHand: 'Kunt u niet scannen? Vul deze sleutel in de app in:',
    code: 'Code die de app toont',
    confirm: 'Bevestigen',
    replaces: 'De app die u tot nu toe gebruikt, werkt dan niet meer.',
    refused:
      'Deze code past niet bij de QR-code. Controleer of de klok van uw telefoon goed staat en vul de huidige code in.',
    cancel: 'Annuleren',
  },
  codes: {
    title: 'Bewaar uw herstelcodes',
    text: 'Bent u uw apparaat kwijt? Dan meldt u zich met een herstelcode aan. Elke code werkt één keer. Deze pagina toont ze alleen nu.',
    copy: 'Kopiëren',
    copied: 'Gekopieerd',
    print: 'Afdrukken',
    download: 'Downloaden',
    fileName: 'herstelcodes.txt',
    saved: 'Ik heb de codes bewaard',
    newTitle: 'Nieuwe herstelcodes maken?',
    newText: 'De codes die u nu hebt, werken dan niet meer.',
    create: 'Nieuwe codes maken',
  },
  removeApp: {
    title: 'Uw authenticator-app verwijderen?',
    last: 'Het is uw enige tweede factor. Daarna is uw wachtwoord alleen genoeg om u aan te melden en werken uw herstelcodes niet meer.',
    others: 'U kunt dan nog bevestigen met een passkey.',
    submit: 'Verwijderen',
  },
  passkeyPage: {
    addTitle: 'Voeg een passkey toe',
    addText:
      'Uw apparaat of beveiligingssleutel bewaart hem. U ontgrendelt hem met uw vingerafdruk, gezicht, pincode of schermvergrendeling.',
    name: 'Naam',
    nameHint: 'Om hem later te herkennen, bijvoorbeeld Laptop of Blauwe sleutel.',
    defaultName: 'Passkey',
    add: 'Passkey toevoegen',
    noScript: 'Passkeys vereisen JavaScript en een browser die ze ondersteunt.',
    refused: 'Deze passkey is niet geaccepteerd. Probeer het opnieuw.',
    tooMany: 'U hebt het hoogste aantal passkeys, of deze is al geregistreerd.',
    changeTitle: name => `Passkey ${name}`,
    save: 'Opslaan',
    remove: 'Passkey verwijderen',
    last: 'Het is uw enige tweede factor. Daarna is uw wachtwoord alleen genoeg om u aan te melden en werken uw herstelcodes niet meer.',
  },
}
