/** Compares docs/limits.md with the code. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { errorStatus } from '@querent/contract/errors'
import { historyStatesMax, leakTestsAtOnceMax, liveRequestsMax, operations } from '@querent/contract/manage'
import { sampleCharactersMax } from '@querent/contract/manage/collections'
import { PublicKeys } from '@querent/contract/manage/fields'
import {
  attributesMax,
  attributeValuesMax,
  groupsMax,
  groupsPerMemberMax,
} from '@querent/contract/manage/rights'
import { rowFilterFieldsMax, rowFilterValuesMax } from '@querent/contract/manage/row-filter'
import { elementsMax } from '@querent/contract/object-fields'
import { countMax, offsetMax } from '@querent/contract/query-options'
import { keywordBytesMax } from '@querent/contract/read-value'
import { workspaceLimits } from '@querent/contract/workspace-limits'
import { passwordBytesMax } from '#accounts/password-strength'
import { pathItemsMax as pathItemsInDocumentMax } from '#collections/field-values'
import { searchesPerMinute } from '#documentation/register'
import { documentBytesMax } from '#documents/document'
import {
  csvColumnsMax,
  documentDepthMax,
  documentFieldsMax,
  documentPartsMax,
} from '#documents/document-size'
import { idBytesMax } from '#documents/entity'
import { importsMax, importsOfWorkspaceMax } from '#documents/import-slots'
import { lineBytesMax, lineBytesSkippedMax } from '#documents/lines'
import { sampleDocumentsMax } from '#documents/proposals/read-sample'
import { headerBytesMax, urlBytesMax } from '#http/parser-errors'
import {
  replyBytesMax,
  replyBytesOfAccountMax,
  replyBytesOfAllMax,
  stalledReplyMsMax,
} from '#http/reply-size'
import { scannedMax } from '#manage/document-access'
import { bodyBytesMax as managementBytesMax } from '#manage/register'
import { secretsMax } from '#manage/system-to-system'
import { readerLimits } from '#manage/workspace-file-reader'
import { bodyBytesMax as formBytesMax } from '#oauth/requests/endpoint-routing'
import { bodyBytesMax as batchBytesMax, batchMax } from '#query/batch'
import { columnsMax } from '#query/formats/table'
import { pageCharactersMax, pageItemsMax } from '#query/mcp/list-pages'
import { bodyBytesMax as messageBytesMax, resultsBytesMax } from '#query/mcp/mcp'
import { resourcesListedMax } from '#query/mcp/resources'
import { pageDocumentsMax } from '#query/plan/collapse'
import { planPartsMax } from '#query/plan/plan-size'
import { logSearchesMax } from '#storage/log-searches'
import { passkeysMax } from '#storage/second-factors'
import { historyCharactersMax } from '#storage/workspace-history'
import { liveWorkspacesMax } from '#usage/live-requests'
import { formatPoolSettings, poolSettings } from '#workers/worker-pool'

/** The keywords of JSON Schema that are compared. */
interface Bounded {
  maxItems?: number
  properties?: Record<string, Bounded>
}
const bounds = (schema: unknown): Bounded => Object(schema)
const createApplication = bounds(operations.createApplication.input)
const createAccount = bounds(operations.createSystemToSystem.input)

const limits: Readonly<Record<string, number | undefined>> = {
  'a document, a line, a CSV record': lineBytesMax,
  'a document that is skipped; a longer one ends the stream': lineBytesSkippedMax,
  'the body of a single document': documentBytesMax,
  'fields of a document besides its id, nested ones included': documentFieldsMax,
  'objects and lists in a document, nested ones included': documentPartsMax,
  'nesting of a document': documentDepthMax,
  'elements of a list of objects with `together: true`': elementsMax,
  '`count` × `best` of a `collapse`': pageDocumentsMax,
  'items of lists that the paths of its fields lead through': pathItemsInDocumentMax,
  'columns of a CSV file': csvColumnsMax,
  'URI of a document': idBytesMax,
  'value of a `keyword` field': keywordBytesMax,
  'imports at once in a workspace': importsOfWorkspaceMax,
  'imports at once': importsMax,
  'sample for a proposed collection': sampleCharactersMax,
  'documents of the sample that are looked at': sampleDocumentsMax,
  'a file': workspaceLimits.fileBytes,
  'entries of a list or mapping': workspaceLimits.fileEntries,
  nesting: workspaceLimits.fileDepth,
  'files of one account that are read or wait': readerLimits.atOnceMax,
  'files of one account, within a minute': readerLimits.bytesPerMinuteMax,
  'files and samples of one workspace that are read': poolSettings.ownerRunningMax,
  'files and samples of one workspace that wait': poolSettings.ownerWaitingMax,
  'files and samples of all workspaces that wait': poolSettings.waitingMax,
  'time to read one': poolSettings.timeLimitMs,
  'applied states in the history, for 90 days': historyStatesMax,
  'text of all states in the history': historyCharactersMax,
  'a URL': urlBytesMax,
  'all headers': headerBytesMax,
  '`count`': countMax,
  '`offset`': offsetMax,
  'fields and values that a query searches, together': planPartsMax,
  'queries of a batch': batchMax,
  'the body of a batch': batchBytesMax,
  'a message to the [MCP server](agents.md) of an API': messageBytesMax,
  'a page of its tools or resources': pageCharactersMax,
  'items of such a page': pageItemsMax,
  'listed resources of an API; the others can be read': resourcesListedMax,
  'a reply with results, a batch, or a page of the list of documents': replyBytesMax,
  'results in a reply of the MCP server': resultsBytesMax,
  'replies of one account above 1 MiB each, until the client has read them': replyBytesOfAccountMax,
  'such replies of all accounts': replyBytesOfAllMax,
  'time in which nothing of such a reply can be sent': stalledReplyMsMax,
  'columns of results as `csv` or `xlsx`': columnsMax,
  'results as `csv`, `xlsx`, `xml` or `rdf` of one workspace that wait for a thread':
    formatPoolSettings.ownerWaitingMax,
  'the same of all workspaces': formatPoolSettings.waitingMax,
  'the body of a management operation': managementBytesMax,
  'the body of a token or authorization request': formBytesMax,
  'redirect URIs of an application; also of its origins and logout URIs':
    createApplication.properties?.redirectUris?.maxItems,
  'public keys of an application or account': bounds(PublicKeys).properties?.keys?.maxItems,
  'secrets of a System-to-System account': secretsMax,
  'address ranges of a System-to-System account': createAccount.properties?.addresses?.maxItems,
  'groups of a workspace': groupsMax,
  'groups of a member': groupsPerMemberMax,
  'attributes of a member': attributesMax,
  'values of an attribute of a member': attributeValuesMax,
  'fields of a row filter': rowFilterFieldsMax,
  'values of one field in a row filter': rowFilterValuesMax,
  'live requests of a workspace in memory': liveRequestsMax,
  'workspaces with live requests in memory': liveWorkspacesMax,
  'searches of an address in the docs, in a minute': searchesPerMinute,
  'leak tests of a request to the management API': leakTestsAtOnceMax,
  'members that a request for the readers of a document looks at': scannedMax,
  'names of readers in a document': workspaceLimits.readersPerDocument,
  'fields with `visible` in a collection': workspaceLimits.hiddenFieldsPerCollection,
  'searches of the audit log and the sign-in log that wait, with SQLite': logSearchesMax,
  'a password': passwordBytesMax,
  'passkeys of a person': passkeysMax,
}

const units: Readonly<Record<string, number>> = {
  KiB: 1024,
  MiB: 1024 * 1024,
  s: 1000,
  bytes: 1,
  characters: 1,
}
const readAmount = (text: string): number => {
  const [number = '', unit] = text.replaceAll(',', '').split(' ')
  return Number(number) * (unit === undefined ? 1 : (units[unit] ?? Number.NaN))
}

const rows = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8')
  .split('\n')
  .filter(line => line.startsWith('| ') && !/^\| (limit|-)/.test(line))
  .map(line => line.split('|').map(cell => cell.trim()))

test('the limits in the documentation are those of the code', () => {
  const documented = Object.fromEntries(
    rows.map(([, limit = '', amount = '']) => [limit, readAmount(amount)]),
  )
  assert.deepEqual(documented, limits)
})

test('each code in the documentation of the limits exists', () => {
  const codes = rows.map(([, , , code = '']) => code.replaceAll('`', '')).filter(code => code !== '')
  for (const code of codes) assert.ok(code === 'invalid_request' || code in errorStatus, code)
})
