/** Writes a workspace file for a proposal, with comments that explain it. */
import { Document, isMap, isScalar, type Pair, type YAMLMap } from 'yaml'
import { addProposal, type Proposal } from './proposal.ts'

/** Limits each example in a comment. */
const exampleCharacters = 30

/** Returns the text of the file. `source` names the file of documents. */
export const writeProposal = (workspace: string, proposal: Proposal, source: string): string => {
  const { collection, title, documents, idField, fields } = proposal
  const document = new Document(addProposal({ workspace, title }, proposal))
  document.commentBefore = [
    ` Made from the first ${documents.toLocaleString('en')} documents of ${source}. Change what does not fit, then:`,
    '   querent apply workspace.yaml',
    `   querent import ${workspace} ${collection} ${source}`,
  ].join('\n')
  const definition = document.getIn(['collections', collection])
  if (isMap(definition)) {
    const id = definition.get('id')
    if (isMap(id)) {
      id.flow = true
      id.comment = ' add uri: "https://…/{id}" to give documents addresses of your own'
    }
    writeInline(definition.get('fields'), name => {
      const { present, distinct, examples } = fields.find(field => field.name === name) ?? {}
      const exampleText = examples?.map(example => example.slice(0, exampleCharacters)).join(' · ')
      return ` ${present} of ${documents}, ${distinct} different: ${exampleText?.replace(/\s+/g, ' ')}`
    })
    const unused = fields.filter(({ use, name }) => !use && name !== idField).map(({ name }) => name)
    if (unused.length > 0) definition.comment = ` stored and shown, not searched: ${unused.join(', ')}`
  }
  const api = document.getIn(['apis', collection])
  if (isMap(api))
    api.commentBefore = ' access: public would open it to everybody; without it, only members search'
  writeInline(document.getIn(['apis', collection, 'endpoints']), () => undefined)
  return document.toString({ lineWidth: 0, flowCollectionPadding: true })
}

/** Writes each entry on one line, with its comment. */
const writeInline = (map: unknown, comment: (name: string) => string | undefined): void => {
  if (!isMap(map)) return
  for (const { key, value } of (map as YAMLMap).items as Pair[]) {
    if (!isMap(value)) continue
    value.flow = true
    const text = comment(String(isScalar(key) ? key.value : key))
    if (text !== undefined) value.comment = text
  }
}
