/** Dutch sentences of the checks of a request ("Why was I refused?"), by the English ones of the server. Its values are in braces. */
export const checkTexts: Readonly<Record<string, string>> = {
  'was not reached': 'is niet bereikt',
  'no token was sent': 'er is geen token gestuurd',
  'the Authorization header has another scheme: write Bearer <ACCESS_TOKEN>':
    'de header Authorization heeft een ander schema: schrijf Bearer <ACCESS_TOKEN>',
  'the token is malformed: it is no JWT': 'het token is onjuist gevormd: het is geen JWT',
  'a JWT access token': 'een JWT-access token',
  'the token is no access token': 'het token is geen access token',
  'the token is malformed: a claim of RFC 9068 is missing':
    'het token is onjuist gevormd: een claim van RFC 9068 ontbreekt',
  'is a JWT access token': 'is een JWT-access token',
  'is this authorization server': 'is deze autorisatieserver',
  'the token is of another issuer': 'het token komt van een andere uitgever',
  'is with a key of ours': 'is met een sleutel van ons',
  'the token is signed with a key that is not ours':
    'het token is ondertekend met een sleutel die niet van ons is',
  'is good': 'klopt',
  'the signature is not of this text: the token was changed or cut off':
    'de handtekening hoort niet bij deze tekst: het token is gewijzigd of afgebroken',
  'the signature of the token is wrong': 'de handtekening van het token klopt niet',
  'covers the address': 'omvat het adres',
  'the token is not for this service: ask for one with audience={url}':
    'het token is niet voor deze dienst: vraag er een met audience={url}',
  'the token is for another audience, {found}: ask for one with audience={url}':
    'het token is voor een andere audience, {found}: vraag er een met audience={url}',
  'the token was revoked': 'het token is ingetrokken',
  'was not revoked': 'is niet ingetrokken',
  'the token has expired': 'het token is verlopen',
  'the token is from the future': 'het token komt uit de toekomst',
  'is within its time': 'valt binnen de geldigheidsduur',
  'the account or application of the token was deleted':
    'het account of de toepassing van het token is verwijderd',
  'the account or application of the token is disabled':
    'het account of de toepassing van het token is uitgeschakeld',
  'is there and enabled': 'bestaat en is ingeschakeld',
  'is a System-to-System account': 'is een System-to-System-account',
  'the account of the token was deleted': 'het account van het token is verwijderd',
  'the account of the token is disabled': 'het account van het token is uitgeschakeld',
  'the client may open this workspace': 'de client mag deze werkruimte openen',
  'an application or System-to-System account of this workspace':
    'een toepassing of System-to-System-account van deze werkruimte',
  'the token was obtained through an application or System-to-System account of another workspace':
    'het token is verkregen via een toepassing of System-to-System-account van een andere werkruimte',
  "the person signed in through another workspace's OpenID provider, which opens only that workspace: sign in here":
    'de persoon is aangemeld via de OpenID-provider van een andere werkruimte, die alleen die werkruimte opent: meld u hier aan',
  'the token was obtained through an unregistered application, which this workspace does not allow':
    'het token is verkregen via een niet-geregistreerde toepassing, wat deze werkruimte niet toestaat',
  'no access to this workspace': 'geen toegang tot deze werkruimte',
  'the account is no member of this workspace with the role {roles}':
    'het account is geen lid van deze werkruimte met de rol {roles}',
  'a member with the role {roles}': 'een lid met de rol {roles}',
  'the account is a member': 'het account is lid',
  'the membership has no end': 'het lidmaatschap heeft geen einde',
  'the membership has ended': 'het lidmaatschap is afgelopen',
  'the membership has not ended': 'het lidmaatschap is niet afgelopen',
  'the role allows it': 'de rol staat het toe',
  'no second factor is required': 'er is geen tweede factor vereist',
  'signed in with a second factor': 'aangemeld met een tweede factor',
  'this workspace requires a second factor: sign in again with one':
    'deze werkruimte vereist een tweede factor: meld u opnieuw aan met een tweede factor',
  'no acr': 'geen acr',
  'nothing limits the account': 'niets beperkt het account',
  'the account may use it': 'het account mag het gebruiken',
  'the account may not use this API': 'het account mag deze API niet gebruiken',
  'the account may not use this collection': 'het account mag deze collectie niet gebruiken',
  'only these are open': 'alleen deze staan open',
  none: 'geen',
  'sees only documents that match the row filter': 'ziet alleen documenten die bij het rijfilter passen',
  'no row filter: sees every document': 'geen rijfilter: ziet alle documenten',
  'the row filter of the account changed during the request':
    'het rijfilter van het account is tijdens het verzoek gewijzigd',
  'the header DPoP is missing: send a fresh proof with each request':
    'de header DPoP ontbreekt: stuur een nieuw bewijs bij elk verzoek',
  'the header DPoP appears twice; it is allowed once': 'de header DPoP staat er tweemaal; eenmaal mag',
  'the DPoP proof is malformed: it is no signed JWT':
    'het DPoP-bewijs is onjuist gevormd: het is geen ondertekend JWT',
  'the DPoP proof is malformed: its claims are no JSON object':
    'het DPoP-bewijs is onjuist gevormd: de claims zijn geen JSON-object',
  'the DPoP proof is malformed: its header is no JSON object':
    'het DPoP-bewijs is onjuist gevormd: de header is geen JSON-object',
  'the DPoP proof must have typ dpop+jwt': 'het DPoP-bewijs moet typ dpop+jwt hebben',
  'the DPoP proof must be signed with one of {algorithms}':
    'het DPoP-bewijs moet ondertekend zijn met een van {algorithms}',
  'the DPoP proof must not have the header parameters crit and b64':
    'het DPoP-bewijs mag de headerparameters crit en b64 niet hebben',
  'the DPoP proof must have its public key as jwk':
    'het DPoP-bewijs moet zijn publieke sleutel als jwk hebben',
  'the jwk of the DPoP proof must not be a private key':
    'de jwk van het DPoP-bewijs mag geen privésleutel zijn',
  'the jwk of the DPoP proof is no public key for {algorithm}':
    'de jwk van het DPoP-bewijs is geen publieke sleutel voor {algorithm}',
  'the DPoP proof has another key than the token': 'het DPoP-bewijs heeft een andere sleutel dan het token',
  'the DPoP proof has no jti of 1 to {max} characters':
    'het DPoP-bewijs heeft geen jti van 1 tot {max} tekens',
  'the DPoP proof has no iat': 'het DPoP-bewijs heeft geen iat',
  'the DPoP proof is for another method (htm)': 'het DPoP-bewijs is voor een andere methode (htm)',
  'the DPoP proof is for another URL (htu)': 'het DPoP-bewijs is voor een andere URL (htu)',
  'the DPoP proof is for another access token (ath)': 'het DPoP-bewijs is voor een ander access token (ath)',
  'the DPoP proof is too old (iat)': 'het DPoP-bewijs is te oud (iat)',
  'the DPoP proof is from the future (iat)': 'het DPoP-bewijs komt uit de toekomst (iat)',
  'the DPoP proof has expired (exp)': 'het DPoP-bewijs is verlopen (exp)',
  'the signature of the DPoP proof is wrong': 'de handtekening van het DPoP-bewijs klopt niet',
  'the DPoP proof was used before: make one for each request':
    'het DPoP-bewijs is al gebruikt: maak er een voor elk verzoek',
  'the server cannot check now whether the DPoP proof was used before; try again shortly':
    'de server kan nu niet nagaan of het DPoP-bewijs al is gebruikt; probeer het zo dadelijk opnieuw',
  'this address needs an access token: Authorization: Bearer <ACCESS_TOKEN>':
    'dit adres vereist een access token: Authorization: Bearer <ACCESS_TOKEN>',
  'only administrators and users, through the console, may query with Querent-Preview-Changes':
    'alleen beheerders en gebruikers mogen, via de console, zoeken met Querent-Preview-Changes',
  'only an administrator, through the console, may query with Querent-Preview-As':
    'alleen een beheerder mag, via de console, zoeken met Querent-Preview-As',
  'the token is bound to no key: send it as Authorization: Bearer <ACCESS_TOKEN>':
    'het token is aan geen sleutel gebonden: stuur het als Authorization: Bearer <ACCESS_TOKEN>',
  'the token is bound to a key: send Authorization: DPoP <ACCESS_TOKEN> and a DPoP proof':
    'het token is aan een sleutel gebonden: stuur Authorization: DPoP <ACCESS_TOKEN> en een DPoP-bewijs',
}
