import type { Catalog } from '#i18n/catalog.ts'

/** Members, applications, security, the own account. */
export const access: Catalog = {
  'System-to-System account {name}': 'System-to-System-account {name}',
  Name: 'Naam',
  'The application that uses it, such as Website': 'De toepassing die het gebruikt, bijvoorbeeld Website',
  'The next step shows its Client Secret once.': 'De volgende stap toont het Client Secret één keer.',
  'Edit member {email}': 'Lid {email} bewerken',
  Save: 'Opslaan',
  'Takes effect immediately. A workspace always has an administrator: you cannot remove the last one.':
    'Geldt meteen. Een werkruimte heeft altijd een beheerder: de laatste kunt u niet weghalen.',
  'Query with the access_token of the reply': 'Zoeken met het access_token uit het antwoord',
  'Import with the access_token of the reply': 'Importeren met het access_token uit het antwoord',
  Invitations: 'Uitnodigingen',
  'E-mail': 'E-mail',
  'Invited by': 'Uitgenodigd door',
  'invited by {person}': 'uitgenodigd door {person}',
  'removed user': 'verwijderde gebruiker',
  Expires: 'Verloopt',
  expired: 'verlopen',
  Revoke: 'Intrekken',
  'Revoke the invitation of {email}': 'Uitnodiging van {email} intrekken',
  'Revoke the invitation of {email}?': 'De uitnodiging van {email} intrekken?',
  'The link stops working.': 'De link werkt dan niet meer.',
  Invite: 'Uitnodigen',
  'Copy the link now': 'Kopieer de link nu',
  'A mail is on its way to {email}.': 'Er is een mail onderweg naar {email}.',
  'No mail was sent. Give this link to {email}.': 'Er is geen mail verstuurd. Geef deze link aan {email}.',
  'The mail server did not accept the mail yet. The server tries again for a day. If it is urgent, give this link to {email}.':
    'De mailserver heeft de mail nog niet aangenomen. De server probeert het een dag lang opnieuw. Geef bij haast deze link aan {email}.',
  'The mail server refused the mail. Check the address, or give this link to {email}.':
    'De mailserver heeft de mail geweigerd. Controleer het adres, of geef deze link aan {email}.',
  'No mail was sent, because the mail server cannot send to this address. Give this link to {email}.':
    'Er is geen mail verstuurd, omdat de mailserver niet naar dit adres kan sturen. Geef deze link aan {email}.',
  'No mail was sent, because too many were. Give this link to {email}.':
    'Er is geen mail verstuurd, omdat het er te veel waren. Geef deze link aan {email}.',
  'It works once, within 7 days, and only for that address.':
    'Hij werkt één keer, binnen 7 dagen, en alleen voor dat adres.',
  'Invitation link': 'Uitnodigingslink',
  'No matches so far.': 'Nog niets gevonden.',
  'No people match.': 'Niemand gevonden.',
  'Search further': 'Verder zoeken',
  'Show more': 'Meer tonen',
  People: 'Mensen',
  'not confirmed': 'niet bevestigd',
  'Last activity: the last search or change that the workspace allowed. Sign-ins do not count.':
    'Laatste activiteit: de laatste zoekopdracht of wijziging die de werkruimte toestond. Aanmeldingen tellen niet mee.',
  'This is not your password.': 'Dit is niet uw wachtwoord.',
  'Last activity': 'Laatste activiteit',
  'Member since': 'Lid sinds',
  'member since {moment}': 'lid sinds {moment}',
  Edit: 'Bewerken',
  'Edit {email}': '{email} bewerken',
  Remove: 'Weghalen',
  'Remove {email}': '{email} weghalen',
  'Remove {email}?': '{email} weghalen?',
  'They lose access immediately, even if their tokens have not expired.':
    'Die persoon verliest meteen de toegang, ook als tokens nog niet zijn verlopen.',
  'This is you.': 'Dit bent u zelf.',
  'Unless they are an operator, the registration tokens that they created and these invitations stop working:':
    'Tenzij die persoon operator is, werken diens registratietokens en deze uitnodigingen niet meer:',
  'Search by e-mail, name or Client ID': 'Zoek op e-mail, naam of Client ID',
  'System-to-System accounts': 'System-to-System-accounts',
  disabled: 'uitgeschakeld',
  Secrets: 'Secrets',
  'Last used': 'Laatst gebruikt',
  'No System-to-System accounts yet': 'Nog geen System-to-System-accounts',
  'Your server uses one to get access tokens with a Client ID and a Client Secret. It cannot sign in to the console.':
    'Uw server haalt er met een Client ID en een Client Secret access tokens mee op. Het kan zich niet bij de console aanmelden.',
  'No accounts match.': 'Geen accounts gevonden.',
  'People and accounts that may use this workspace. Changes take effect immediately.':
    'Mensen en accounts die deze werkruimte mogen gebruiken. Wijzigingen gelden meteen.',
  Never: 'Nooit',
  'In 30 days': 'Over 30 dagen',
  'In 90 days': 'Over 90 dagen',
  'In a year': 'Over een jaar',
  'Add Client Secret': 'Client Secret toevoegen',
  Add: 'Toevoegen',
  'IP addresses': 'IP-adressen',
  'Edit {name}': '{name} bewerken',
  'Takes effect immediately. Client ID and secrets stay the same.':
    'Geldt meteen. Client ID en secrets blijven hetzelfde.',
  'Client Secrets': 'Client Secrets',
  'Add secret': 'Secret toevoegen',
  'An older secret is still in use': 'Een ouder secret is nog in gebruik',
  'The secret {secret} was last used {time}.': 'Het secret {secret} is {time} voor het laatst gebruikt.',
  'Give the application the new secret before you delete the old one. This warning stays for 24 hours after the last use of an older secret. Uses appear up to a minute late.':
    'Geef de toepassing het nieuwe secret voordat u het oude verwijdert. Deze waarschuwing blijft staan tot 24 uur na het laatste gebruik van een ouder secret. Gebruik verschijnt hoogstens een minuut later.',
  'The older secrets no longer seem to be in use': 'De oudere secrets lijken niet meer in gebruik',
  'The newest secret is in use. Uses appear up to a minute late. Delete an older secret when it has not been used for longer than your application keeps a token.':
    'Het nieuwste secret is in gebruik. Gebruik verschijnt hoogstens een minuut later. Verwijder een ouder secret als het langer niet is gebruikt dan uw toepassing een token bewaart.',
  Secret: 'Secret',
  Created: 'Gemaakt',
  Delete: 'Verwijderen',
  'Delete the secret {secret}': 'Secret {secret} verwijderen',
  'Delete the secret {secret}?': 'Het secret {secret} verwijderen?',
  'It is still in use: the application that sends it cannot get another token.':
    'Het is nog in gebruik: de toepassing die het stuurt, krijgt geen token meer.',
  'Applications can no longer get tokens with it.': 'Toepassingen krijgen er geen tokens meer mee.',
  "I've saved it": 'Ik heb het bewaard',
  'created {time}': 'gemaakt op {time}',
  'A System-to-System account, used by an application, not a person.':
    'Een System-to-System-account: het wordt door een toepassing gebruikt, niet door een mens.',
  'Documents:': 'Documenten:',
  'It authenticates with its own keys (private_key_jwt) and has no Client Secret.':
    'Het bewijst zich met eigen sleutels (private_key_jwt) en heeft geen Client Secret.',
  Enable: 'Inschakelen',
  Disable: 'Uitschakelen',
  'Disable {name}': '{name} uitschakelen',
  'Disable {name}?': '{name} uitschakelen?',
  'Applications that use it lose access immediately. You can enable it again.':
    'Toepassingen die het gebruiken, verliezen meteen de toegang. U kunt het weer inschakelen.',
  'Delete this account': 'Dit account verwijderen',
  'Disable the account first to check that nothing still uses it.':
    'Schakel het account eerst uit, om te zien of niets het nog gebruikt.',
  'Delete account': 'Account verwijderen',
  'Delete {name}?': '{name} verwijderen?',
  'This permanently deletes its Client ID and secrets.':
    'Dit verwijdert het Client ID en de secrets voorgoed.',
  'Delete this workspace': 'Deze werkruimte verwijderen',
  'This deletes its documents, APIs, members, accounts and applications. You can save the workspace file and apply it again, but documents are lost.':
    'Dit verwijdert documenten, API’s, leden, accounts en toepassingen. U kunt het werkruimtebestand bewaren en opnieuw toepassen, maar de documenten zijn weg.',
  'Delete workspace': 'Werkruimte verwijderen',
  'Delete the workspace {workspace}?': 'De werkruimte {workspace} verwijderen?',
  'This permanently deletes all documents. Applications that use the workspace lose access immediately.':
    'Dit verwijdert alle documenten voorgoed. Toepassingen die de werkruimte gebruiken, verliezen meteen de toegang.',
  'Token lifetime, second factors and applications of this workspace.':
    'Levensduur van tokens, tweede factoren en toepassingen van deze werkruimte.',
  'Access tokens': 'Access tokens',
  'Access token lifetime (minutes)': 'Levensduur van access tokens (minuten)',
  'From 1 minute to 24 hours. Removed members lose access immediately.':
    'Van 1 minuut tot 24 uur. Weggehaalde leden verliezen meteen de toegang.',
  'Additional allowed origins (CORS)': 'Extra toegestane origins (CORS)',
  'One per line, for example https://www.example.org. Origins of registered applications are already allowed.':
    'Eén per regel, bijvoorbeeld https://www.example.org. Origins van geregistreerde toepassingen zijn al toegestaan.',
  'Require a second factor': 'Tweede factor verplichten',
  'Require a second factor?': 'Een tweede factor verplichten?',
  'Require it': 'Verplichten',
  'You have not set up a second factor': 'U hebt geen tweede factor ingesteld',
  '{workspace} requires one. Open it again to set one up.':
    '{workspace} vereist er een. Open de werkruimte opnieuw om er een in te stellen.',
  'All members have a second factor. They sign in again with it.':
    'Alle leden hebben een tweede factor. Ze melden zich daarmee opnieuw aan.',
  '{count} members have no second factor yet and lose access at once, until they set one up at their next sign-in.':
    {
      one: '{count} lid heeft nog geen tweede factor en verliest meteen de toegang, tot het er bij de volgende aanmelding een instelt.',
      other:
        '{count} leden hebben nog geen tweede factor en verliezen meteen de toegang, tot ze er bij de volgende aanmelding een instellen.',
    },
  'That is you: after saving, a page asks you to set one up before you go on here.':
    'Dat bent u zelf: na het opslaan vraagt een pagina u er een in te stellen voor u hier verdergaat.',
  'You are one of them: after saving, a page asks you to set one up before you go on here.':
    'U bent een van hen: na het opslaan vraagt een pagina u er een in te stellen voor u hier verdergaat.',
  'After saving, a page asks you for yours before you go on here.':
    'Na het opslaan vraagt een pagina u om de uwe voor u hier verdergaat.',
  'Members sign in with an authenticator app or a passkey in addition to their password. Sessions without one lose access at once, yours too. System-to-System accounts are not affected.':
    'Leden melden zich naast hun wachtwoord aan met een authenticator-app of een passkey. Sessies zonder verliezen meteen de toegang, ook die van u. Voor System-to-System-accounts verandert er niets.',
  'Allow unregistered applications': 'Niet-geregistreerde toepassingen toestaan',
  'AI agents and other applications whose Client ID is the URL of their description (Client ID Metadata Documents). Each member is asked before an application can search for them.':
    'AI-agents en andere toepassingen waarvan het Client ID de URL van hun beschrijving is (Client ID Metadata Documents). Elk lid krijgt een vraag voordat een toepassing namens dat lid kan zoeken.',
  'Saved. Takes effect with the next token.': 'Opgeslagen. Geldt vanaf het volgende token.',
  'Saved. Takes effect with the next request.': 'Opgeslagen. Geldt vanaf het volgende verzoek.',
  'Shown on the consent page': 'Staat op de toestemmingspagina',
  'Allowed callback URLs, one per line. Must match exactly.':
    'Toegestane callback-URL’s, één per regel. Ze moeten precies overeenkomen.',
  'First-party application: skip the consent page': 'Eigen toepassing: toestemmingspagina overslaan',
  'Websites, apps and servers that people sign in to with their account. They can only query this workspace.':
    'Websites, apps en servers waar mensen zich met hun account aanmelden. Ze kunnen alleen in deze werkruimte zoeken.',
  'No applications yet': 'Nog geen toepassingen',
  'Register the application that people sign in to. It gets a Client ID and sample code.':
    'Registreer de toepassing waar mensen zich aanmelden. U krijgt een Client ID en voorbeeldcode.',
  'first-party': 'eigen',
  Registered: 'Geregistreerd',
  Code: 'Code',
  'Code for {name}': 'Code voor {name}',
  'Delete {name}': '{name} verwijderen',
  'Its tokens and grants stop working immediately.': 'De tokens en machtigingen werken meteen niet meer.',
  Origins: 'Origins',
  'Additional origins whose pages may query, one per line, such as https://www.example.org. Origins of the redirect URIs are already allowed.':
    'Extra origins waarvan de pagina’s mogen zoeken, één per regel, bijvoorbeeld https://www.example.org. Origins van de redirect-URI’s zijn al toegestaan.',
  'Allowed URLs to return to after signing out, one per line. Must match exactly.':
    'Toegestane URL’s om na het afmelden naar terug te keren, één per regel. Ze moeten precies overeenkomen.',
  'Back-channel logout URI': 'URI voor back-channel logout',
  "The server posts a logout token here when a person's session ends, so that the application can end its own.":
    'De server stuurt hier een logout-token naartoe als een sessie eindigt, zodat de toepassing haar eigen sessie kan beëindigen.',
  'Default audience': 'Standaard-audience',
  "For libraries that can't send an audience: the address of the query service, or of one API. Empty: such tokens only open the user profile.":
    'Voor bibliotheken die geen audience kunnen sturen: het adres van de zoekdienst, of van één API. Leeg: zulke tokens openen alleen het gebruikersprofiel.',
  'Disabled: nobody can sign in, and its tokens are rejected':
    'Uitgeschakeld: niemand kan zich aanmelden, en de tokens worden geweigerd',
  'Takes effect immediately.': 'Geldt meteen.',
  'Single-page app': 'Single-page app',
  Server: 'Server',
  'Native app': 'Native app',
  Done: 'Klaar',
  Register: 'Registreren',
  "You won't see it again. If you lose it, register the application again.":
    'U krijgt het niet opnieuw te zien. Registreer de toepassing opnieuw als u het kwijtraakt.',
  'Initial access tokens': 'Initiële access tokens',
  'Programs that you install often can register themselves with such a token (RFC 7591).':
    'Programma’s die u vaak installeert, kunnen zich met zo’n token zelf registreren (RFC 7591).',
  'Create token': 'Token maken',
  '{uses} of {usesMax}': '{uses} van {usesMax}',
  'It registers no more applications. Those that it registered stay.':
    'Het registreert geen toepassingen meer. Toepassingen die ermee zijn geregistreerd, blijven.',
  'Create initial access token': 'Initial access token maken',
  'Copy the token now': 'Kopieer het token nu',
  "You won't see it again. If you lose it, create another.":
    'U krijgt het niet opnieuw te zien. Maak een ander als u het kwijtraakt.',
  'Initial access token': 'Initial access token',
  'For you, such as the program or the partner that gets it':
    'Voor uzelf, bijvoorbeeld het programma of de partner die het krijgt',
  'Applications that it may register': 'Toepassingen die het mag registreren',
  'Days until it expires': 'Dagen tot het verloopt',
  'Sign in from a page (npm install oidc-client-ts)':
    'Aanmelden vanaf een pagina (npm install oidc-client-ts)',
  'Configure your OpenID Connect library with these values. It reads the rest from the metadata.':
    'Stel uw OpenID Connect-bibliotheek in met deze waarden. De rest leest ze uit de metadata.',
  Issuer: 'Issuer',
  Audience: 'Audience',
  'Redirect URIs': 'Redirect-URI’s',
  'Logout URIs': 'Logout-URI’s',
  Profile: 'Profiel',
  'Other members of your workspaces see it, and applications that you allow to.':
    'Andere leden van uw werkruimtes zien hem, en toepassingen die u dat toestaat.',
  'Change address': 'Adres wijzigen',
  'Open the link in your new mailbox': 'Open de link in uw nieuwe mailbox',
  'We sent a link to {email}. Your address changes when you open it, before {time}.':
    'We hebben een link gestuurd naar {email}. Uw adres verandert als u hem opent, vóór {time}.',
  'Cancel the change': 'Wijziging intrekken',
  'You need a sign-in of the last five minutes to change it.':
    'Om het te wijzigen, moet u zich in de laatste vijf minuten hebben aangemeld.',
  'Sign in again and change password': 'Opnieuw aanmelden en wachtwoord wijzigen',
  'Change your e-mail address': 'Uw e-mailadres wijzigen',
  'Send link': 'Link versturen',
  'We send a link to the new address. Your old address stays until you open the link, and gets a notice.':
    'We sturen een link naar het nieuwe adres. Uw oude adres blijft tot u die opent, en krijgt een bericht.',
  'New e-mail address': 'Nieuw e-mailadres',
  'Delete your account?': 'Uw account verwijderen?',
  'You lose access to all workspaces immediately. This cannot be undone. Documents that you imported stay.':
    'U verliest meteen de toegang tot alle werkruimtes. Dit kan niet ongedaan worden gemaakt. Documenten die u importeerde blijven.',
  'This is not your address.': 'Dit is niet uw adres.',
  'Language and theme': 'Taal en thema',
  'Mails to you and the sign-in pages use the language too.':
    'Mails aan u en de aanmeldpagina’s gebruiken deze taal ook.',
  'Your data': 'Uw gegevens',
  'Download everything that is stored about you as a JSON file. It contains no passwords or keys.':
    'Download alles wat over u is opgeslagen als JSON-bestand. Er staan geen wachtwoorden of sleutels in.',
  'Export data': 'Gegevens exporteren',
  'Your account is deleted': 'Uw account is verwijderd',
  'Leave the console': 'De console verlaten',
  'You are signed out, and {email} can no longer sign in.':
    'U bent afgemeld, en met {email} kan niemand meer inloggen.',
  'Delete your account': 'Uw account verwijderen',
  'You are an operator of this server. Ask another operator to delete your account.':
    'U beheert deze server. Vraag een andere serverbeheerder om uw account te verwijderen.',
  'You must not be the last administrator of a workspace. Documents that you imported stay.':
    'U mag niet de laatste beheerder van een werkruimte zijn. Documenten die u importeerde blijven.',
  'Sign out everywhere else': 'Overal elders afmelden',
  'Sign out all other devices?': 'Alle andere apparaten afmelden?',
  'Applications and programs that you signed in to elsewhere lose access immediately.':
    'Toepassingen en programma’s waar u zich elders aanmeldde verliezen meteen de toegang.',
  'Recent sign-ins': 'Recente aanmeldingen',
  'If one was not you, change your password and sign out everywhere else.':
    'Was u er een niet? Wijzig dan uw wachtwoord en meld u overal elders af.',
  'The OpenID provider of your organization signed you in':
    'De OpenID-provider van uw organisatie heeft u aangemeld',
  'Sign in with your password or a passkey to view and change your account.':
    'Meld u aan met uw wachtwoord of een passkey om uw account te bekijken en te wijzigen.',
  'Active sessions': 'Actieve sessies',
  Sessions: 'Sessies',
  Device: 'Apparaat',
  'this device': 'dit apparaat',
  unknown: 'onbekend',
  'Signed in': 'Aangemeld',
  'when the browser closes': 'als de browser sluit',
  'Sign out {device}, signed in {time}': '{device} afmelden, aangemeld op {time}',
  'Sign out this device?': 'Dit apparaat afmelden?',
  'Sign out that device?': 'Dat apparaat afmelden?',
  'Applications in this session lose access immediately.':
    'Toepassingen in deze sessie verliezen meteen de toegang.',
  'unknown browser': 'onbekende browser',
  '{browser} on {system}': '{browser} op {system}',
  'Allowed applications': 'Toegestane toepassingen',
  'Applications that you allow to access your account appear here. You can revoke their access at any time.':
    'Hier staan toepassingen die u toegang tot uw account geeft. U kunt die toegang altijd intrekken.',
  Application: 'Toepassing',
  several: 'meerdere',
  'this server': 'deze server',
  Permissions: 'Rechten',
  'Revoke access of {name}': 'Toegang van {name} intrekken',
  'Revoke access of {name}?': 'De toegang van {name} intrekken?',
  'It loses access immediately, and asks for your consent when you use it again.':
    'De toepassing verliest meteen de toegang, en vraagt opnieuw om toestemming als u haar weer gebruikt.',
  'recognize you when you return': 'u herkennen als u terugkomt',
  'see your name': 'uw naam zien',
  'see your e-mail address': 'uw e-mailadres zien',
  'You cannot change the address: this server sends no mail, and a link to the new address would prove it.':
    'U kunt het adres niet wijzigen: deze server verstuurt geen mail, en een link aan het nieuwe adres zou het bewijzen.',
  'search everything that you can search': 'alles doorzoeken wat u mag doorzoeken',
  'search {address}': 'zoeken in {address}',
  'change everything that you can change on this server': 'alles wijzigen wat u op deze server mag wijzigen',
  'keep this access while you are away': 'deze toegang houden als u weg bent',
  Password: 'Wachtwoord',
  'Current password': 'Huidig wachtwoord',
  'New password': 'Nieuw wachtwoord',
  'Password changed. You are signed out everywhere else.':
    'Wachtwoord gewijzigd. U bent overal elders afgemeld.',
  'Change password': 'Wachtwoord wijzigen',
  'Second factors': 'Tweede factoren',
  'You confirm each sign-in with one of these.': 'U bevestigt elke aanmelding met een van deze.',
  'With an authenticator app or a passkey, a stolen password is not enough to sign in as you.':
    'Met een authenticator-app of een passkey is een gestolen wachtwoord niet genoeg om zich als u aan te melden.',
  'Authenticator app': 'Authenticator-app',
  '{count} passkeys': { one: '{count} passkey', other: '{count} passkeys' },
  'Remove second factors': 'Tweede factoren verwijderen',
  'Remove the second factors of {email}?': 'De tweede factoren van {email} verwijderen?',
  'Do this only if you know that the request comes from them, for example after a call.':
    'Doe dit alleen als u weet dat het verzoek van deze persoon komt, bijvoorbeeld na een telefoongesprek.',
  'They are signed out everywhere and told by mail. Their password alone then signs them in.':
    'De persoon wordt overal afgemeld en krijgt bericht per e-mail. Daarna is het wachtwoord alleen genoeg om zich aan te melden.',
  Passkey: 'Passkey',
  '{count} unused recovery codes': {
    one: '{count} ongebruikte herstelcode',
    other: '{count} ongebruikte herstelcodes',
  },
  'Manage second factors': 'Tweede factoren beheren',
  'Set up an authenticator app': 'Authenticator-app instellen',
  'Other second factors': 'Andere tweede factoren',
  Added: 'Toegevoegd',
  'last used': 'laatst gebruikt',
  'Usage counts queries, without their texts. Stored searches are deleted when you save.':
    'Gebruik telt zoekvragen, zonder hun tekst. Opgeslagen zoekvragen worden verwijderd als u opslaat.',
  'Usage counts how often each search occurs, without its text. Stored texts are deleted when you save.':
    'Gebruik telt hoe vaak elke zoekvraag voorkomt, zonder de tekst. Opgeslagen teksten worden verwijderd als u opslaat.',
  'Usage shows the top searches with their texts. They can contain personal data.':
    'Gebruik toont de meest gestelde zoekvragen met hun tekst. Die kan persoonsgegevens bevatten.',
  'The workspace file has the same values.': 'Het werkruimtebestand heeft dezelfde waarden.',
  'Query log': 'Zoeklogboek',
  'Texts of searches': 'Teksten van zoekvragen',
  Off: 'Uit',
  Hashed: 'Als hash',
  'Full text': 'Volledige tekst',
  'Keep usage and searches for (days)': 'Gebruik en zoekvragen bewaren (dagen)',
  'From 1 to 3,650 days. Older figures and searches are deleted.':
    'Van 1 tot 3.650 dagen. Oudere cijfers en zoekvragen worden verwijderd.',
  Framework: 'Framework',
  'Plain JavaScript': 'JavaScript zonder framework',
  'Require DPoP': 'DPoP vereisen',
  'requires DPoP': 'vereist DPoP',
  'Requires DPoP': 'Vereist DPoP',
  'Its tokens are bound to a key, so a stolen token is useless. Token requests without a DPoP proof are rejected.':
    'De tokens zijn aan een sleutel gebonden, zodat een gestolen token waardeloos is. Tokenaanvragen zonder DPoP-bewijs worden geweigerd.',
  'Require PKCE': 'PKCE vereisen',
  'Clear it only for libraries that can send a nonce, but no code challenge (PKCE).':
    'Zet dit alleen uit voor bibliotheken die wel een nonce, maar geen code challenge (PKCE) kunnen sturen.',
  'Leave out redirect URIs that are not allowed': "Redirect-URI's die niet zijn toegestaan weglaten",
  'Redirect URIs that are not allowed are left out':
    "Redirect-URI's die niet zijn toegestaan worden weggelaten",
  'When an application registers itself and some of its redirect URIs are not allowed, it is registered with the others. Otherwise it is rejected.':
    "Als een toepassing zichzelf registreert en sommige redirect-URI's niet zijn toegestaan, wordt zij met de andere geregistreerd. Anders wordt zij geweigerd.",
}
