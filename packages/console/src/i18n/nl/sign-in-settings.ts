import type { Catalog } from '#i18n/catalog.ts'

/** Settings > Sign-in: branding and OpenID provider. */
export const signInSettings: Catalog = {
  'How the sign-in pages of this workspace look, and the OpenID provider of your organization.':
    'Hoe de aanmeldpagina’s van deze werkruimte eruitzien, en de OpenID-provider van uw organisatie.',
  Branding: 'Huisstijl',
  'Test the sign-in': 'Test het aanmelden',
  'At the top of the pages. Empty: {name}.': 'Boven aan de pagina’s. Leeg: {name}.',
  'Logo URL': 'URL van het logo',
  'Shown instead of the name, at most 256 × 64 pixels.':
    'Staat in plaats van de naam, hoogstens 256 × 64 pixels.',
  'Terms of use URL': 'URL van de gebruiksvoorwaarden',
  'Linked at the bottom of the pages.': 'Link onder aan de pagina’s.',
  'Privacy statement URL': 'URL van de privacyverklaring',
  'Saved. The next page that somebody opens looks like this.':
    'Opgeslagen. De volgende pagina die iemand opent, ziet er zo uit.',
  'Type an address that starts with https://, without spaces, quotes, commas and semicolons.':
    'Typ een adres dat met https:// begint, zonder spaties, aanhalingstekens, komma’s en puntkomma’s.',
  Preview: 'Voorbeeld',
  'Sign-in page, {scheme}': 'Aanmeldpagina, {scheme}',
  Logo: 'Logo',
  'Sign in': 'Aanmelden',
  'to {application}': 'bij {application}',
  'Show password': 'Wachtwoord tonen',
  'E-mail address': 'E-mailadres',
  'Forgot your password?': 'Wachtwoord vergeten?',
  Terms: 'Voorwaarden',
  Privacy: 'Privacy',
  '{scheme}: {color}, contrast {ratio} to 1': '{scheme}: {color}, contrast {ratio} op 1',
  'The console loads no pictures of other servers, so the logo is not shown here.':
    'De console laadt geen afbeeldingen van andere servers, dus het logo is hier niet te zien.',
  'Open the logo': 'Logo openen',
  Color: 'Kleur',
  'Of buttons and links, in hexadecimal.': 'Van knoppen en links, hexadecimaal.',
  'Type a color such as #2b50c8.': 'Typ een kleur zoals #2b50c8.',
  'Pick a color': 'Kleur kiezen',
  'Light pages: {color} is hard to read (contrast {given} to 1), so they use {corrected} ({ratio} to 1).':
    'Lichte pagina’s: {color} is slecht leesbaar (contrast {given} op 1), dus ze gebruiken {corrected} ({ratio} op 1).',
  'Dark pages: {color} is hard to read (contrast {given} to 1), so they use {corrected} ({ratio} to 1).':
    'Donkere pagina’s: {color} is slecht leesbaar (contrast {given} op 1), dus ze gebruiken {corrected} ({ratio} op 1).',
  'Open the saved sign-in page of {application}': 'Opgeslagen aanmeldpagina van {application} openen',
  'Register an application to see the sign-in page': 'Registreer een toepassing om de aanmeldpagina te zien',
  'OpenID provider': 'OpenID-provider',
  Domains: 'Domeinen',
  'The provider signs in people of a domain once it is proved that the domain is yours.':
    'De provider meldt mensen van een domein aan zodra is aangetoond dat het domein van u is.',
  'The TXT record was not found': 'Het TXT-record is niet gevonden',
  'The domain counts until {time}. Add the record again before then.':
    'Het domein telt tot {time}. Voeg het record voor die tijd weer toe.',
  'The domain belongs to a public mail service. Only an operator can prove it.':
    'Het domein is van een openbare maildienst. Alleen een operator kan het aantonen.',
  'TXT record of the domain': 'TXT-record van het domein',
  '{result}, {time}': '{result}, {time}',
  'Check now': 'Nu controleren',
  'Send the link to {address}': 'Link sturen naar {address}',
  'Prove as an operator': 'Als operator aantonen',
  'A link was sent to {address}. It works once, until {time}.':
    'Er is een link gestuurd naar {address}. Hij werkt één keer, tot {time}.',
  'The mail server did not accept the mail yet. The server tries again for a day.':
    'De mailserver heeft de mail nog niet aangenomen. De server probeert het een dag lang opnieuw.',
  'The mail server did not accept the mail. Use the other address, or add the TXT record.':
    'De mailserver heeft de mail niet aangenomen. Gebruik het andere adres, of voeg het TXT-record toe.',
  proved: 'aangetoond',
  'record missing': 'record ontbreekt',
  'not proved': 'niet aangetoond',
  'by its TXT record': 'door het TXT-record',
  'by a mailed link': 'door een link per e-mail',
  'by an operator': 'door een operator',
  'The record was found': 'Het record is gevonden',
  'The record was not found': 'Het record is niet gevonden',
  'The DNS did not answer': 'Het DNS antwoordde niet',
  'No OpenID provider yet': 'Nog geen OpenID-provider',
  'Let people sign in with the provider of your organization, such as Google, Microsoft Entra ID, Okta or Keycloak. Register the addresses below there first.':
    'Laat mensen zich aanmelden met de provider van uw organisatie, zoals Google, Microsoft Entra ID, Okta of Keycloak. Registreer daar eerst de adressen hieronder.',
  'Add provider': 'Provider toevoegen',
  'Edit the provider': 'Provider bewerken',
  'Delete the provider': 'Provider verwijderen',
  'Delete the provider?': 'De provider verwijderen?',
  'Nobody can sign in with it any longer, and the sessions that began there end.':
    'Niemand kan zich er nog mee aanmelden, en de sessies die daar begonnen, eindigen.',
  Issuer: 'Issuer',
  'The issuer URL, exactly as the metadata of the provider at …/.well-known/openid-configuration has it.':
    'De issuer-URL, precies zoals die in de metadata van de provider staat: …/.well-known/openid-configuration.',
  'Type an https:// address without query and fragment.': 'Typ een https://-adres zonder query en fragment.',
  'Issued by the provider for this workspace.': 'Door de provider voor deze werkruimte uitgegeven.',
  'E-mail domains': 'E-maildomeinen',
  'One per line. The provider signs in people of these domains only. Subdomains are domains of their own.':
    'Eén per regel. De provider meldt alleen mensen van deze domeinen aan. Subdomeinen zijn eigen domeinen.',
  '{domain} is not a domain, such as example.org.': '{domain} is geen domein, zoals example.org.',
  'Name on the sign-in page': 'Naam op de aanmeldpagina',
  'Empty: the host of the issuer.': 'Leeg: de host van de issuer.',
  Claim: 'Claim',
  'Claim of the ID token whose values get the roles below.':
    'Claim van het ID-token waarvan de waarden de rollen hieronder krijgen.',
  'Only members and invited people can sign in.':
    'Alleen leden en uitgenodigde mensen kunnen zich aanmelden.',
  'Without roles, only members and invited people can sign in.':
    'Zonder rollen kunnen alleen leden en uitgenodigde mensen zich aanmelden.',
  'People get the roles of all values that they have. The value * is for everybody.':
    'Mensen krijgen de rollen van al hun waarden. De waarde * is voor iedereen.',
  everybody: 'iedereen',
  'Value {position}': 'Waarde {position}',
  'Another row has this value.': 'Een andere rij heeft deze waarde al.',
  'Delete value {position}': 'Waarde {position} verwijderen',
  'Roles for value {position}': 'Rollen voor waarde {position}',
  'Add role mapping': 'Rolkoppeling toevoegen',
  'Addresses to register at the provider': 'Adressen om bij de provider te registreren',
  'Redirect URI': 'Redirect-URI',
  'Client secret': 'Client secret',
  'Set {time}': 'Ingesteld {time}',
  'Not set. The server is a public client of the provider.':
    'Niet ingesteld. De server is een public client van de provider.',
  'Set the client secret again': 'Stel het client secret opnieuw in',
  'The server has another encryption key now and cannot read it. Nobody can sign in through this provider until you set it.':
    'De server heeft nu een andere versleutelingssleutel en kan het niet lezen. Niemand kan via deze provider inloggen tot je het instelt.',
  'It was set for another issuer or Client ID, so it is not sent to this provider.':
    'Het is voor een andere issuer of Client ID ingesteld, dus het gaat niet naar deze provider.',
  'Set client secret': 'Client secret instellen',
  'Issued by the provider. It is stored encrypted and never shown again.':
    'Door de provider uitgegeven. Het wordt versleuteld bewaard en nooit meer getoond.',
  'Delete the client secret': 'Client secret verwijderen',
  'Delete the client secret?': 'Het client secret verwijderen?',
  'The server is then a public client of the provider. Most providers reject that.':
    'De server is dan een public client van de provider. De meeste providers weigeren dat.',
}
