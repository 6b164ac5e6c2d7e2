/** A workspace file to begin with, and documents for it: one collection and one API, of which each line can be changed. */

export const starterCollection = 'documents'

export const writeStarterFile = (
  workspace: string,
  title: string,
): string => `# One collection of documents, and one API that searches it.
workspace: ${workspace}
title: ${JSON.stringify(title)}

collections:
  documents:
    # Each document has an id; its URI names it in answers.
    id: { field: id, uri: "https://example.org/documents/{id}" }
    language: english
    fields:
      title: { type: text, weight: 2 }
      text: { type: text }
      subject: { type: keyword, title: Subject }
      published: { type: date, title: Date of publication }

apis:
  search:
    title: Search our documents
    endpoints:
      search: { kind: match, collection: documents, title: Words of a document }
      all: { kind: all, collection: documents, title: All documents }
      document: { kind: lookup, collection: documents, title: One document by its id }
      subject: { kind: facet, field: subject, title: Subject }
      year: { kind: range, field: published, title: Published between }
`

/** Example documents of the starter file, as NDJSON. */
export const writeStarterDocuments = (): string =>
  [
    {
      id: 'moon',
      title: 'The first people on the moon',
      text: 'Two astronauts walked on the moon for two and a half hours.',
      subject: 'space',
      published: '1969-07-21',
    },
    {
      id: 'web',
      title: 'A proposal for a web of documents',
      text: 'Documents that link to each other, whatever computer they are on.',
      subject: 'computers',
      published: '1989-03-12',
    },
    {
      id: 'penicillin',
      title: 'A mold that stops bacteria',
      text: 'A forgotten dish in a laboratory led to the first antibiotic.',
      subject: 'medicine',
      published: '1929-05-10',
    },
  ]
    .map(document => `${JSON.stringify(document)}\n`)
    .join('')
