/** A workspace file to begin with: one collection and one API, of which each line can be changed. */
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
