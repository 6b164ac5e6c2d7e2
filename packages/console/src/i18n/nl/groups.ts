import type { Catalog } from '#i18n/catalog.ts'

/** Groups, and the rights that members get from them. */
export const groups: Catalog = {
  Groups: 'Groepen',
  'Create group': 'Groep maken',
  'Nothing of {collections} is shown: they have no field {field}.': {
    one: 'Van {collections} is niets te zien: het veld {field} ontbreekt er.',
    other: 'Van {collections} is niets te zien: het veld {field} ontbreekt daar.',
  },
  'Rights for teams. Members see everything that one of their groups opens.':
    'Rechten voor teams. Leden zien alles wat een van hun groepen opent.',
  'No groups yet': 'Nog geen groepen',
  'A group opens documents, APIs or collections for a team. Choose the groups of each member in Team Members, or let a provider name them.':
    'Een groep opent documenten, API’s of collecties voor een team. Kies de groepen van elk lid bij Teamleden, of laat een provider ze noemen.',
  Members: 'Leden',
  Limits: 'Limieten',
  'You can delete it once no member, invitation, provider or field uses it.':
    'U kunt de groep verwijderen zodra geen lid, uitnodiging, provider of veld deze nog gebruikt.',
  'of the first 1,000 members': 'van de eerste 1.000 leden',
  '{holder} until {until}': '{holder} tot en met {until}',
  '{holder} (ended {until})': '{holder} (geëindigd {until})',
  '{count} a minute': '{count} per minuut',
  '{count} at once': '{count} tegelijk',
  'not set': 'niet ingesteld',
  'To hide a field from other members, such as a purchase price, edit it in Data, the collection, Fields: “Visibility”.':
    'Om een veld voor andere leden te verbergen, zoals een inkoopprijs, bewerkt u het in Data, de collectie, Velden: “Zichtbaarheid”.',
  'A field for some groups only, or documents that name their readers: {data}, the collection, Fields.':
    'Een veld voor alleen enkele groepen, of documenten die hun lezers noemen: {data}, de collectie, Velden.',
  'Defaults of members': 'Standaardrechten van leden',
  'Edit the defaults of members': 'Standaardrechten van leden bewerken',
  'They apply to members who have no rights of their own and no group. Each right that a group limits needs a default: that is what somebody sees who leaves the group.':
    'Ze gelden voor leden zonder eigen rechten en zonder groep. Elk recht dat een groep beperkt, heeft een standaard nodig: dat ziet wie de groep verlaat.',
  'a-z, 0-9 and -, at most 63 characters. Members, providers and documents name the group by it. It cannot change later.':
    'a-z, 0-9 en -, hoogstens 63 tekens. Leden, providers en documenten noemen de groep zo. U kunt de naam later niet wijzigen.',
  'What can {name} read?': 'Wat kan {name} lezen?',
  'Explain what {name} can read': 'Uitleggen wat {name} kan lezen',
  'For people, such as Human resources': 'Voor mensen, bijvoorbeeld Personeelszaken',
  'Not set by this group': 'Niet ingesteld door deze groep',
  'Members without this group need a default': 'Leden zonder deze groep hebben een standaard nodig',
  'Otherwise, losing the group would open what it limits. Set the defaults of members first, or let these defaults allow everything.':
    'Anders zou de groep verliezen openen wat zij beperkt. Stel eerst de standaardrechten van leden in, of laat ze uitdrukkelijk alles toestaan.',
  'Let the defaults allow everything that they do not set yet':
    'Laat de standaardrechten alles toestaan wat ze nog niet instellen',
  'Takes effect on the next request of each member.': 'Geldt vanaf het volgende verzoek van elk lid.',
  'Use 1 to 63 characters: a-z, 0-9 and -': 'Gebruik 1 tot 63 tekens: a-z, 0-9 en -',
  'A group has this name already': 'Een groep heeft deze naam al',
  'Not set: all, while no group names any': 'Niet ingesteld: alle, zolang geen groep er een noemt',
  'Administrators are not limited by them. Takes effect on the next request of each member.':
    'Beheerders worden er niet door beperkt. Geldt vanaf het volgende verzoek van elk lid.',
  'all documents': 'alle documenten',
  '{field} is not {values}': '{field} is niet {values}',
  '{field} is none of the member’s values of {attribute}':
    '{field} is geen van de waarden die het lid voor {attribute} heeft',
  'Type the name of an attribute: letters, digits, - and _':
    'Typ de naam van een attribuut: letters, cijfers, - en _',
  'Type at least one end of the range': 'Typ minstens één grens van het bereik',
  'All documents, as chosen. Add a field to limit access to documents with certain values.':
    'Uitdrukkelijk alle documenten. Voeg een veld toe om de toegang te beperken tot documenten met bepaalde waarden.',
  'Not set by this group: the other groups of a member or the defaults decide.':
    'Niet ingesteld door deze groep: de andere groepen van een lid of de standaardrechten bepalen het.',
  'Nothing is set. As soon as a group has a filter, it is needed here.':
    'Er is niets ingesteld. Zodra een groep een filter heeft, is het hier nodig.',
  'What the groups open, or else the defaults of members. Add a field for a filter of their own.':
    'Wat de groepen openen, of anders de standaardrechten van leden. Voeg een veld toe voor een eigen filter.',
  'Only documents that match the condition on each field.':
    'Alleen documenten die aan de voorwaarde van elk veld voldoen.',
  'is one of': 'is een van',
  'is none of': 'is geen van',
  'is in the range': 'ligt in het bereik',
  'is one of the member’s': 'is een van die van het lid',
  'is none of the member’s': 'is geen van die van het lid',
  'another condition': 'een andere voorwaarde',
  Condition: 'Voorwaarde',
  To: 'Tot en met',
  'Attribute of the member': 'Attribuut van het lid',
  'Such as department. Members without it see no document.':
    'Bijvoorbeeld afdeling. Leden zonder dit attribuut zien geen enkel document.',
  'Dates such as 2024-01-31, or now. Both belong to the range; leave one empty for no limit.':
    'Datums zoals 2024-01-31, of now voor nu. Beide horen bij het bereik; laat er een leeg voor geen grens.',
  'Both numbers belong to the range; leave one empty for no limit.':
    'Beide getallen horen bij het bereik; laat er een leeg voor geen grens.',
  'Only the chosen ones': 'Alleen de gekozen',
  'Chosen for {label}': 'Gekozen voor {label}',
  'None is chosen: none is open.': 'Er is niets gekozen: niets is open.',
  'Queries per minute': 'Zoekvragen per minuut',
  'Queries at once': 'Zoekvragen tegelijk',
  'as the server': 'zoals de server',
  'As groups and defaults say': 'Zoals groepen en standaardrechten zeggen',
  'Limits, end and attributes': 'Limieten, einde en attributen',
  'Membership ends': 'Lidmaatschap eindigt',
  '{group} ends': '{group} eindigt',
  'Remove group {group}': 'Groep {group} weghalen',
  '{issuer} gives: {groups}': '{issuer} geeft: {groups}',
  'Add group': 'Groep toevoegen',
  'Choose a group': 'Kies een groep',
  Attributes: 'Attributen',
  Attribute: 'Attribuut',
  'Its values': 'De waarden',
  'Row filters of groups can compare a field with an attribute of the member, such as department.':
    'Rijfilters van groepen kunnen een veld vergelijken met een attribuut van het lid, bijvoorbeeld de afdeling.',
  'Remove attribute {attribute}': 'Attribuut {attribute} weghalen',
  'Add attribute': 'Attribuut toevoegen',
  'what {groups} opens': 'wat {groups} opent',
  '(default)': '(standaard)',
  'until {until}': 'tot en met {until}',
  'ended {until}': 'geëindigd {until}',
  '{group} (ended)': '{group} (geëindigd)',
  '{group} until {until}': '{group} tot en met {until}',
  '{name} sees all documents.': '{name} ziet alle documenten.',
  'You see the documents that the groups of {name} and the defaults of members allow.':
    'U ziet de documenten die de groepen van {name} en de standaardrechten van leden toestaan.',
  Ends: 'Eindigt',
}
