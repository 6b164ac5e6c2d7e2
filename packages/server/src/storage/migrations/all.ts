/** All migrations, in order. */
import { first } from './0001-first.ts'
import { people } from './0002-people.ts'
import { generations } from './0003-generations.ts'
import { mail } from './0004-mail.ts'
import { usage } from './0005-usage.ts'
import { audit } from './0006-audit.ts'
import { activity } from './0007-activity.ts'
import { hint } from './0008-hint.ts'
import { engineVersions } from './0009-engine-versions.ts'
import { nodes } from './0010-nodes.ts'
import { replacedTokens } from './0011-replaced-tokens.ts'
import { administrators } from './0012-administrators.ts'
import { search } from './0013-search.ts'
import { vouchedAddresses } from './0014-vouched-addresses.ts'
import { workspaceTexts } from './0015-workspace-texts.ts'
import { runningNodes } from './0016-running-nodes.ts'
import { dpopProofs } from './0017-dpop-proofs.ts'
import { logoutNotices } from './0018-logout-notices.ts'
import { registrationTokens } from './0019-registration-tokens.ts'
import { refusalsByWorkspace } from './0020-refusals-by-workspace.ts'
import { secondFactors } from './0021-second-factors.ts'
import { usageCounts } from './0022-usage-counts.ts'
import { signInLog } from './0023-sign-in-log.ts'
import { identityProviders } from './0024-identity-providers.ts'
import { emailChanges } from './0025-email-changes.ts'
import { embedding } from './0026-embedding.ts'
import { providerTokens } from './0027-provider-tokens.ts'
import { emailAddresses } from './0028-email-addresses.ts'
import { domainProofs } from './0032-domain-proofs.ts'
import { formReplies } from './0034-form-replies.ts'
import { documentMarks } from './0036-document-marks.ts'
import { lostDocuments } from './0038-lost-documents.ts'
import { registrationTokenCreators } from './0040-registration-token-creators.ts'
import { mails } from './0041-mails.ts'
import { throttleWindows } from './0042-throttle-windows.ts'
import { serviceAddresses } from './0043-service-addresses.ts'
import { searchesByDay } from './0045-searches-by-day.ts'
import { rights } from './0046-rights.ts'
import { workspaceHistory } from './0047-workspace-history.ts'
import { searchCounts } from './0048-search-counts.ts'

/** Migrations by name; the last one is this version's. */
export const migrations = (sqlite: boolean) => ({
  '0001-first': first(sqlite),
  '0002-people': people,
  '0003-generations': generations,
  '0004-mail': mail,
  '0005-usage': usage,
  '0006-audit': audit,
  '0007-activity': activity,
  '0008-hint': hint,
  '0009-engine-versions': engineVersions,
  '0010-nodes': nodes,
  '0011-replaced-tokens': replacedTokens,
  '0012-administrators': administrators,
  '0013-search': search(sqlite),
  '0014-vouched-addresses': vouchedAddresses,
  '0015-workspace-texts': workspaceTexts,
  '0016-running-nodes': runningNodes,
  '0017-dpop-proofs': dpopProofs(sqlite),
  '0018-logout-notices': logoutNotices,
  '0019-registration-tokens': registrationTokens,
  '0020-refusals-by-workspace': refusalsByWorkspace,
  '0021-second-factors': secondFactors,
  '0022-usage-counts': usageCounts(sqlite),
  '0023-sign-in-log': signInLog,
  '0024-identity-providers': identityProviders(sqlite),
  '0025-email-changes': emailChanges(sqlite),
  '0026-embedding': embedding,
  '0027-provider-tokens': providerTokens,
  '0028-email-addresses': emailAddresses(sqlite),
  '0032-domain-proofs': domainProofs(sqlite),
  '0034-form-replies': formReplies,
  '0036-document-marks': documentMarks,
  '0038-lost-documents': lostDocuments(sqlite),
  '0040-registration-token-creators': registrationTokenCreators(sqlite),
  '0041-mails': mails,
  '0042-throttle-windows': throttleWindows(sqlite),
  '0043-service-addresses': serviceAddresses(sqlite),
  '0045-searches-by-day': searchesByDay,
  '0046-rights': rights(sqlite),
  '0047-workspace-history': workspaceHistory,
  '0048-search-counts': searchCounts,
})
