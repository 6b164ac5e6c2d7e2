/** Writes a workspace file for a proposal, with comments that explain it. */
import { Document, isMap, isScalar, type Pair, type YAMLMap } from 'yaml'
import { shortenValue } from './html-text.ts'
import {
  addProposal,
  countPoints,
  findNearId,
  findNearType,
  findSwappedDecimal,
  findSwappedFormat,
  findSwappedPairs,
  isByRow,
  lacksZone,
  type NearId,
  type Proposal,
  type ProposedField,
  type ProposedId,
} from './proposal.ts'
import { toTitle } from './titles.ts'

/** Limits each example in a comment. */
const exampleCharacters = 30

/** Says from which documents a proposal was made. */
export const describeSample = ({ documents, coverage }: Proposal, source: string): string => {
  const count = documents.toLocaleString('en')
  if (coverage === 'whole') return `all ${count} documents of ${source}`
  if (coverage === 'beginning') return `the first ${count} documents of ${source}`
  return `${count} documents from the beginning, the middle and the end of ${source}`
}

/** Says what an id means for later imports. */
export const describeId = (id: ProposedId): string => {
  if ('field' in id) return 'add uri: "https://…/{id}" to give documents addresses of your own'
  return id.generate === 'hash'
    ? 'made from the content; a document that has changed is imported as a new one, and equal ones become one'
    : 'the position in the file; always import the whole file, with --replace'
}

/** Says which documents have no id of their own, and what an import does with them. */
export const describeNearId = ({ field, documents, repeated, missing, examples }: NearId): string => {
  const list = examples.map(value => JSON.stringify(value)).join(', ')
  const faults = [
    ...(repeated > 0
      ? [
          `${repeated} of ${documents} documents ${repeated === 1 ? 'repeats' : 'repeat'} the ${field} of an earlier one, such as ${list}, and an import keeps the last`,
        ]
      : []),
    ...(missing > 0
      ? [
          `${missing} of ${documents} documents ${missing === 1 ? 'lacks' : 'lack'} ${field}, and an import rejects ${missing === 1 ? 'it' : 'them'}`,
        ]
      : []),
  ]
  return faults.join('; ')
}

/** Says which documents lack or repeat the chosen id, or why the field that looks most like an id is not taken. Undefined if there is neither. */
export const describeNearIds = (proposal: Proposal): string | undefined => {
  const chosen = findNearId(proposal)
  if (chosen) return describeNearId(chosen)
  const [offered] = 'field' in proposal.id ? [] : proposal.nearIds
  return offered && `not taken as id: ${offered.field}, because ${describeNearId(offered)}`
}

/** Returns the text of the file. `source` names the file of documents, and `importArguments` the same for a shell, with options. */
export const writeProposal = (
  workspace: string,
  proposal: Proposal,
  source: string,
  importArguments = source,
): string => {
  const options = isByRow(proposal) ? ' --replace' : ''
  const { collection, documents, fields } = proposal
  const document = new Document(addProposal({ workspace, title: toTitle(workspace) }, proposal))
  document.commentBefore = [
    ` Made from ${describeSample(proposal, source)}. Change what does not fit, then:`,
    '   querent apply workspace.yaml',
    `   querent import ${workspace} ${collection} ${importArguments}${options}`,
  ].join('\n')
  const definition = document.getIn(['collections', collection])
  if (isMap(definition)) {
    const id = definition.get('id')
    if (isMap(id)) {
      id.flow = true
      const nearIds = describeNearIds(proposal)
      id.comment = ` ${describeId(proposal.id)}${nearIds === undefined ? '' : `; ${nearIds}`}`
    }
    writeInline(definition.get('fields'), name => {
      const field = fields.find(candidate => candidate.name === name)
      if (field === undefined) return ' the same values, searched by their words'
      const examples = field.examples.map(example => shortenValue(example, exampleCharacters)).join(' · ')
      const count = ` ${field.present} of ${documents}, ${field.distinct} different: `
      return `${count}${examples.replace(/\s+/g, ' ')}${describeNearType(field)}${describePoints(field)}${describeOrder(field)}${describeSeparator(field)}`
    })
    definition.comment = describeUnused(proposal)
  }
  const api = document.getIn(['apis', collection])
  if (isMap(api))
    api.commentBefore = ' access: public would open it to everybody; without it, only members search'
  writeInline(document.getIn(['apis', collection, 'endpoints']), () => undefined)
  return document.toString({ lineWidth: 0, flowCollectionPadding: true })
}

/** Says that the values are numbers or dates, except a few. */
const describeNearType = (field: ProposedField): string => {
  const near = findNearType(field)
  if (!near) return ''
  const { type, fitting, rejected = [], formats, decimal } = near
  const options = `${formats ? `, formats: [ ${formats.join(', ')} ]` : ''}${decimal ? `, decimal: "${decimal}"` : ''}`
  const examples = rejected.map(value => JSON.stringify(value)).join(', ')
  return `; ${fitting} of ${field.values} are ${type}s, not ${examples}: correct these and use { type: ${type}${options} }`
}

/** Says that some values are lines or areas. */
const describePoints = (field: ProposedField): string => {
  const points = countPoints(field)
  return points === undefined
    ? ''
    : `; ${points} of ${field.values} are points: an import rejects the documents with lines or areas; without this field it keeps them`
}

/** Says what nothing tells: the order of day and month, or of latitude and longitude, the decimal sign or the time zone. */
const describeOrder = (field: ProposedField): string => {
  const pairs = findSwappedPairs(field)
  if (pairs !== undefined) return `; all are places with pairs: ${pairs} too: check the order`
  const decimal = findSwappedDecimal(field)
  if (decimal !== undefined) return `; all are numbers with decimal: "${decimal}" too: check the decimal sign`
  const swapped = findSwappedFormat(field)
  const zone = lacksZone(field) ? '; times without a zone are UTC' : ''
  return swapped === undefined ? zone : `${zone}; all are ${swapped} too: check the order of day and month`
}

/** Says how a text becomes several values. */
const describeSeparator = ({ listSeparator }: ProposedField): string =>
  listSeparator === undefined
    ? ''
    : `; several values, separated by ${nameSeparator(listSeparator)}: without listSeparator, each text is one value`

const separatorNames: Readonly<Record<string, string>> = { '\n': 'a line break', ',': 'a comma' }

/** Returns the separator, or the name of one that is hard to see. */
export const nameSeparator = (listSeparator: string): string => separatorNames[listSeparator] ?? listSeparator

/** Says which attributes have no field, and how to search one that had no value. */
const describeUnused = ({ fields }: Proposal): string | null => {
  const unused = fields.filter(({ use }) => !use)
  const list = (isEmpty: boolean) =>
    unused
      .filter(({ present }) => (present === 0) === isEmpty)
      .map(field => `${field.name}${describeAreas(field)}`)
      .join(', ')
  const [stored, empty] = [list(false), list(true)]
  const lines = [
    ...(stored === '' ? [] : [` stored and shown, not searched: ${stored}`]),
    ...(empty === ''
      ? []
      : [` without a value, so no fields (to search one, add it as { type: text }): ${empty}`]),
  ]
  return lines.length > 0 ? lines.join('\n') : null
}

/** Says that a geometry is no place because few of its values are points. */
const describeAreas = ({ type, fits, values }: ProposedField): string => {
  const fit = type === 'object' ? fits.find(({ type }) => type === 'geo') : undefined
  return fit && fit.fitting > 0 ? ` (${fit.fitting} of ${values} are points)` : ''
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
