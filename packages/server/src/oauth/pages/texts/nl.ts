/** Texts of the pages in Dutch. */
import type { Weakness } from '#workers/password-estimator'
import type { Texts } from './en.ts'
import { factorsNl } from './factors-nl.ts'
import { providerNl } from './provider-nl.ts'

const weaknesses: Record<Weakness, string> = {
  keyboard: 'toetsen naast elkaar worden het eerst geprobeerd',
  repeated: 'herhaalde tekens zijn makkelijk te raden',
  sequence: 'reeksen zoals abc of 6543 zijn makkelijk te raden',
  date: 'datums en jaartallen zijn makkelijk te raden',
  common: 'het is, of lijkt op, een van de meest gebruikte wachtwoorden',
  'single-word': 'een enkel woord is makkelijk te raden',
  name: 'namen zijn makkelijk te raden',
  personal: 'het bestaat uit uw eigen naam of adres',
  guessable: 'het is te snel te raden',
}

export const nl: Texts = {
  languages: 'Taal',
  terms: 'Voorwaarden',
  privacy: 'Privacy',
  email: 'E-mailadres',
  password: 'Wachtwoord',
  showPassword: { show: 'Wachtwoord tonen', hide: 'Wachtwoord verbergen' },
  faultInTitle: title => `Fout: ${title}`,
  signedInAs: email => `Aangemeld als ${email}.`,
  otherAccount: 'Een ander account gebruiken',
  forgot: 'Wachtwoord vergeten?',
  toSignIn: 'Terug naar aanmelden',
  emailMissing: 'Vul uw e-mailadres in, bijvoorbeeld ada@example.org.',
  passwordMissing: 'Vul uw wachtwoord in.',
  refused: 'E-mailadres of wachtwoord klopt niet. Controleer beide en probeer het opnieuw.',
  throttled: {
    before:
      'Voor dit account of vanuit dit netwerk zijn te veel verkeerde wachtwoorden geprobeerd. Wacht een minuut, gebruik een browser waarmee u zich eerder hebt aangemeld, of',
    link: 'kies per mail een nieuw wachtwoord',
    after: ' om direct binnen te komen.',
    noMail:
      'Voor dit account of vanuit dit netwerk zijn te veel verkeerde wachtwoorden geprobeerd. Wacht een minuut, gebruik een browser waarmee u zich eerder hebt aangemeld, of vraag de mensen die deze server beheren om een link waarmee u een nieuw wachtwoord kiest: daarmee komt u nu binnen.',
  },
  switchAccount: 'Afmelden en een ander account gebruiken',
  back: application => `Terug naar ${application}`,
  ways: {
    start: 'Naar de startpagina',
    console: 'De console openen',
    logout: 'Afmelden',
    again: 'Pagina opnieuw laden',
    'sign-in': 'Verdergaan',
    application: title => `Naar ${title}`,
    native: title => `Ga terug naar ${title} op uw apparaat.`,
  },
  newPassword: {
    label: 'Nieuw wachtwoord',
    advice: 'Minstens 8 tekens. Een paar woorden die niets met elkaar te maken hebben, zijn heel geschikt.',
    missing: 'Kies een wachtwoord.',
    tooShort: 'Dat is te kort: gebruik minstens 8 tekens.',
    tooLong: 'Dat is te lang: gebruik hoogstens 1000 bytes.',
    throttled: 'Er zijn te veel wachtwoorden geprobeerd. Wacht een minuut en probeer het dan opnieuw.',
    weaknesses,
    weak: reason =>
      `Kies een ander: ${reason}. Een paar woorden die niets met elkaar te maken hebben, zijn heel geschikt.`,
  },
  login: {
    title: 'Aanmelden',
    to: (application, workspace) =>
      workspace === undefined ? `bij ${application}` : `bij ${application} van ${workspace}`,
    again: 'Meld u nog een keer aan om verder te gaan.',
    submit: 'Aanmelden',
    cancel: 'Annuleren',
  },
  factors: factorsNl,
  provider: providerNl,
  member: {
    title: 'U bent geen lid',
    text: (email, workspace) =>
      `${email} is geen lid van de werkruimte ${workspace}, of mag daar niet zoeken.`,
    ask: workspace => `Vraag een beheerder van ${workspace} om dit adres uit te nodigen.`,
  },
  wrongAccount: {
    title: 'Hiervoor is een ander account nodig',
    text: application => `${application} vraagt om een ander account dan dit.`,
  },
  consent: {
    title: application => `${application} toegang tot uw account geven?`,
    ofWorkspace: workspace => `Een toepassing van de werkruimte ${workspace}.`,
    ofServer: 'Een toepassing van deze server.',
    ofHost: (host, workspace) =>
      `Deze toepassing zegt dat zij bij ${host} hoort. Zij is niet geregistreerd bij de werkruimte ${workspace} en haar naam is niet gecontroleerd. Sta haar alleen toe als u ${host} vertrouwt.`,
    asks: 'Zij kan dan:',
    allow: 'Toestaan',
    deny: 'Niet toestaan',
    undecided: 'U hebt nog niet gekozen: druk op “Toestaan” of “Niet toestaan”.',
    sendsBack: place => `In beide gevallen gaat u terug naar ${place}.`,
    later: 'U kunt dit op elk moment intrekken.',
    permissions: {
      openid: 'u herkennen wanneer u terugkomt',
      profile: 'uw naam zien',
      email: 'uw e-mailadres zien',
      offline: 'deze toegang houden terwijl u weg bent, tot u haar intrekt',
      search: 'namens u alles doorzoeken wat u in deze werkruimte mag doorzoeken',
      searchIn: address => `namens u zoeken in ${address}`,
      manage: 'namens u alles wijzigen wat u op deze server mag wijzigen',
      claim: name => `uw ${name} zien`,
    },
    claims: { name: 'naam', email: 'e-mailadres', email_verified: 'e-mailadres' },
  },
  device: {
    title: 'Een apparaat verbinden',
    text: 'Vul de code in die uw apparaat of programma toont.',
    label: 'Code',
    hint: 'Acht letters, zoals WDJB-MJHT.',
    submit: 'Doorgaan',
    faults: {
      missing: 'Vul de code in, zoals WDJB-MJHT.',
      unknown: 'Geen apparaat toont deze code. Controleer hem en probeer het opnieuw.',
      expired: 'Deze code is verlopen. Begin opnieuw op uw apparaat voor een andere.',
      used: 'Deze code is al gebruikt. Begin opnieuw op uw apparaat voor een andere.',
      throttled:
        'Vanaf uw netwerk zijn te veel verkeerde codes ingevuld. Wacht een minuut en probeer het dan opnieuw.',
    },
    confirmTitle: application => `${application} met uw account verbinden?`,
    compare: 'Uw apparaat moet deze code tonen:',
    warning:
      'Ga alleen door als u dit zelf bent begonnen, op een apparaat dat u bij u hebt. Heeft iemand u de code of de link gestuurd, verbind dan niet.',
    connect: 'Verbinden',
    refuse: 'Niet verbinden',
    connectedTitle: 'Uw apparaat is verbonden',
    connected: application => `Ga terug naar ${application} op uw apparaat. U kunt deze pagina sluiten.`,
    refusedTitle: 'Het apparaat is niet verbonden',
    refused: 'Het heeft geen toegang gekregen. U kunt deze pagina sluiten.',
  },
  formPost: {
    title: application =>
      application === undefined ? 'Terug naar de toepassing' : `Terug naar ${application}`,
    text: 'U wordt teruggestuurd. Gebeurt er niets, druk dan op de knop.',
    submit: 'Doorgaan',
  },
  webMessage: { text: 'U kunt dit venster sluiten.' },
  start: {
    title: 'Aanmelden om te zoeken',
    text: 'Op dit adres melden mensen zich aan, en krijgen programma’s de toegangstokens voor de zoekdienst. Aanmelden bij een toepassing begint in die toepassing.',
    queries: 'De zoekdienst',
    metadata: 'Voor programma’s: wat deze server kan',
  },
  queryService: {
    title: 'Zoeken voor programma’s',
    text: 'Dit is een zoekdienst van Querent. Programma’s en agents sturen hun zoekopdrachten naar dit adres. Mensen gebruiken de console.',
    search: 'Zoek in de demo',
    query: 'Adres van een zoekopdracht',
    docs: 'Documentatie',
  },
  logout: {
    title: 'Afmelden?',
    text: application =>
      application === undefined
        ? 'U wordt hier afgemeld, en in de toepassingen waarbij u zich met deze browser hebt aangemeld, behalve in die welke toegang mogen houden terwijl u weg bent.'
        : `${application} vraagt om u af te melden: hier, en in de toepassingen waarbij u zich met deze browser hebt aangemeld, behalve in die welke toegang mogen houden terwijl u weg bent.`,
    submit: 'Afmelden',
  },
  loggedOut: {
    title: 'U bent afgemeld',
    text: application =>
      application === undefined
        ? 'U kunt deze pagina sluiten.'
        : `U kunt deze pagina sluiten, of teruggaan naar ${application}.`,
  },
  forgotten: {
    title: 'Een nieuw wachtwoord kiezen',
    text: 'Wij mailen u een link waarmee u er een kunt kiezen.',
    submit: 'Link versturen',
    noMail:
      'Deze server verstuurt geen mail. Vraag de mensen die hem beheren om een link waarmee u een nieuw wachtwoord kunt kiezen. Beheert u hem zelf? De opdracht querent users reset, met uw e-mailadres erachter, geeft er een.',
    sentTitle: 'Kijk in uw mail',
    sent: email => `Er is een mail onderweg naar ${email}. De link daarin werkt één keer, een uur lang.`,
    sentNothing: 'Na een paar minuten nog niets? Kijk bij de ongewenste mail, of probeer een ander adres.',
  },
  changeEmail: {
    title: 'Uw nieuwe e-mailadres bevestigen',
    text: (before, email) => `Uw account ${before} gebruikt voortaan het adres ${email}.`,
    effect: 'U wordt overal elders afgemeld.',
    submit: 'Bevestigen',
    cancel: 'Het oude adres houden',
    doneTitle: 'Uw e-mailadres is gewijzigd',
    done: email => `Meld u voortaan aan met ${email}.`,
    toAccount: 'Naar uw account',
    gone: 'Hij is gebruikt, vervangen, ingetrokken of verlopen. U kunt uw adres opnieuw wijzigen op uw accountpagina.',
    otherTitle: 'Deze link is voor een ander account',
    other: 'Meld u af, open de link opnieuw en meld u aan met het account waarvan u het adres wilt wijzigen.',
  },
  reset: {
    title: 'Een nieuw wachtwoord kiezen',
    text: 'U wordt overal elders afgemeld.',
    firstTitle: 'Een wachtwoord kiezen',
    firstText: 'Met uw e-mailadres en dit wachtwoord meldt u zich voortaan aan.',
    submit: 'Opslaan',
    doneTitle: 'Uw wachtwoord is opgeslagen',
    done: 'Meld u ermee aan, hier of in de toepassing waar u vandaan kwam. Waar u al aangemeld was, bent u dat niet meer.',
    doneSignedIn: email => `Aangemeld als ${email}.`,
    goneTitle: 'Deze link werkt niet meer',
    gone: 'Hij is gebruikt, verlopen, of door een nieuwere vervangen.',
    another: 'Een andere link aanvragen',
  },
  invitation: {
    title: workspace => `Word lid van ${workspace}`,
    text: (inviter, workspace) => `${inviter} heeft u uitgenodigd voor de werkruimte ${workspace}.`,
    someone: 'Iemand',
    name: 'Uw naam',
    nameMissing: 'Vul uw naam in, zoals anderen die mogen zien.',
    join: 'Lid worden',
    signInAndJoin: 'Aanmelden en lid worden',
    otherTitle: 'Deze uitnodiging is voor iemand anders',
    other: invited => `Zij is voor ${invited}.`,
    switchTo: invited => `Afmelden en verdergaan als ${invited}`,
    joinedTitle: workspace => `U bent lid van ${workspace}`,
    joined: email => `Ga hier verder of open de toepassing die u wilt gebruiken, en meld u aan als ${email}.`,
    joinedSignedIn: email =>
      `Aangemeld als ${email}. Ga hier verder of open de toepassing die u wilt gebruiken.`,
    states: {
      expired: {
        title: 'Deze uitnodiging is verlopen',
        text: workspace =>
          `Uitnodigingen zijn 7 dagen geldig. Vraag een beheerder van ${workspace} om een nieuwe.`,
      },
      accepted: {
        title: 'Deze uitnodiging is gebruikt',
        text: workspace =>
          `Was u het zelf, dan bent u lid van ${workspace}: open de toepassing die u wilt gebruiken en meld u aan. Zo niet, zeg het dan tegen een beheerder van de werkruimte.`,
      },
      withdrawn: {
        title: 'Deze uitnodiging is ingetrokken',
        text: workspace =>
          `Vraag een beheerder van ${workspace} of er een andere is. Een nieuwere uitnodiging vervangt een oudere.`,
      },
    },
    unknownTitle: 'Deze uitnodiging bestaat niet',
    unknown: 'Is het adres volledig? Kopieer het nog eens uit de mail of het bericht waarin het stond.',
  },
  error: {
    requestId: 'Verzoek-ID',
    reasons: {
      client: _name => 'Er is geen toepassing met deze client_id, of zij is uitgeschakeld.',
      redirect: _name =>
        'redirect_uri is voor deze toepassing niet geregistreerd: het adres moet teken voor teken hetzelfde zijn.',
      missing: name => `In het verzoek ontbreekt ${name}.`,
      twice: name => `In het verzoek staat ${name} meer dan één keer.`,
      logoutAddress: name => `${name} is voor deze toepassing niet geregistreerd.`,
      hint: name => `${name} is geen ID-token van deze server voor deze toepassing.`,
      tooLong: _name => 'Het formulier is te lang.',
      other: 'De server neemt dit verzoek niet aan. De omschrijving is er alleen in het Engels:',
    },
    kinds: {
      expired: {
        title: 'Deze pagina is verlopen',
        text: 'U was hier al klaar, zij stond te lang open, of zij is in een andere browser begonnen. Er is niets verloren: ga naar de toepassing en meld u daar aan als zij erom vraagt. Uw browser moet cookies van deze server aannemen.',
      },
      forged: {
        title: 'Dit formulier kan niet worden aangenomen',
        text: 'Het stond te lang open of kwam niet van onze eigen pagina. Laad de pagina opnieuw en herhaal wat u deed. Uw browser moet cookies van deze server aannemen.',
      },
      missing: {
        title: 'Pagina niet gevonden',
        text: 'Controleer het adres, of ga terug naar waar u vandaan kwam.',
      },
      method: {
        title: 'Zo kan deze pagina niet worden gebruikt',
        text: 'Ga terug naar de toepassing en begin opnieuw.',
      },
      tooLong: {
        title: 'Dat is te lang',
        text: 'Wat u verstuurde is langer dan 16 KiB. Ga terug en kort het in.',
      },
      tooMany: {
        title: 'Te veel aanmeldingen vanaf hier',
        text: 'Vanuit uw netwerk zijn zojuist heel veel aanmeldingen begonnen. Er is niets mis met u of met de toepassing: wacht een minuut, ga dan terug en probeer het opnieuw.',
      },
      request: {
        title: 'Dit aanmeldverzoek is ongeldig',
        text: 'Ga terug en probeer het opnieuw. Gebeurt het weer, geef dan wat hieronder staat door aan de makers van de toepassing.',
      },
      logoutRequest: {
        title: 'Dit afmeldverzoek is ongeldig',
        text: 'Ga terug en probeer het opnieuw. Gebeurt het weer, geef dan wat hieronder staat door aan de makers van de toepassing.',
      },
      unavailable: {
        title: 'Wij kunnen nu niet antwoorden',
        text: 'Probeer het over een minuut opnieuw. Gebeurt het weer, geef dan de verzoek-ID hieronder door aan de beheerders van deze server.',
      },
      fault: {
        title: 'Er ging bij ons iets mis',
        text: 'Probeer het over een minuut opnieuw. Gebeurt het weer, geef dan de verzoek-ID hieronder door aan de beheerders van deze server.',
      },
    },
  },
}
