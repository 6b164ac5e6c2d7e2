/** Dutch texts about signing in through a workspace's own OpenID provider. */
import type { providerEn } from './provider-en.ts'

export const providerNl: typeof providerEn = {
  next: 'Doorgaan',
  with: name => `Doorgaan met ${name}`,
  password: 'Aanmelden met een wachtwoord',
  organization: 'Aanmelden met uw organisatie',
  choose: {
    title: 'Aanmelden met uw organisatie',
    text: email => `Kies waar ${email} zich aanmeldt. Controleer of u het adres eronder kent.`,
  },
  factor:
    'Uw organisatie heeft u met maar één factor aangemeld. Zet daar verificatie in twee stappen aan en meld u opnieuw aan.',
  account: {
    title: 'Meld u aan bij uw account',
    text: 'Uw organisatie heeft u alleen bij haar werkruimte aangemeld. Meld u aan met uw wachtwoord of een passkey om uw account te wijzigen. Hebt u geen wachtwoord, kies er dan een met "Wachtwoord vergeten?".',
    signIn: 'Aanmelden',
  },
  faults: {
    'provider-down':
      'De aanmelding van uw organisatie antwoordt nu niet. Probeer het later opnieuw, of gebruik uw wachtwoord of een passkey als u die hebt.',
    'provider-denied': 'U hebt de aanmelding van uw organisatie geannuleerd, of u werd daar niet toegelaten.',
    'provider-refused':
      'Het antwoord van de aanmelding van uw organisatie is niet aanvaard. Probeer het opnieuw; waarschuw een beheerder als het weer gebeurt.',
    'provider-none': 'Geen organisatie meldt mensen met dit e-mailadres aan. Gebruik uw wachtwoord.',
    'provider-email-missing':
      'De aanmelding van uw organisatie gaf geen e-mailadres. Vraag de beheerder ervan om het adres mee te sturen.',
    'provider-email-unverified':
      'De aanmelding van uw organisatie heeft uw e-mailadres niet bevestigd. Bevestig het daar en probeer het opnieuw.',
    'provider-domain':
      'Uw organisatie heeft u aangemeld met een e-mailadres van een domein dat deze werkruimte niet aanvaardt.',
    'provider-other-person':
      'Dit e-mailadres is al van iemand anders van uw organisatie. Vraag een beheerder van de werkruimte.',
    'provider-no-access':
      'Uw organisatie heeft u aangemeld, maar u hebt geen rol in deze werkruimte. Vraag een beheerder om toegang.',
    'provider-disabled': 'Dit account is uitgeschakeld. Vraag het aan wie deze server beheert.',
  },
}
