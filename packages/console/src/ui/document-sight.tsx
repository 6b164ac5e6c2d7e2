/** Says which checks decide whether a member sees a document, and what each filter asks of it. */
import { Stack, Text } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { DocumentAccess, RowFilterCondition, SightCheck, SightSource } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'
import { describeAllowed } from './describe-allowed.ts'
import { writeValue } from './describe-filter.ts'

/** Labels of the checks whether a member sees a document. */
const checkLabels: Readonly<Record<SightCheck['name'], string>> = {
  'membership-end': t('End of the membership'),
  role: t('Role'),
  collection: t('Collection'),
  api: t('API'),
  'row-filter': t('Row filter'),
  readers: t('Readers'),
}

export const sightSources: Readonly<Record<SightSource, string>> = {
  administrator: t('administrators see everything'),
  own: t('their own filter'),
  group: t('a group'),
  memberDefaults: t('the defaults of members'),
  unfiltered: t('no filter holds'),
}

const describeOutcome = ({ sees, checks, public: isPublic }: DocumentAccess, name: string): string => {
  if (!sees) return t('{name} cannot read it.', { name })
  return isPublic && checks.some(({ passed }) => !passed)
    ? t('{name} can read it, because a public API shows it.', { name })
    : t('{name} can read it.', { name })
}

export const DocumentSight = ({ access }: { access: DocumentAccess }) => {
  const { member, checks, filters, hiddenFields } = access
  const name = member.email === undefined ? member.name : displayEmail(member.email)
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {describeOutcome(access, name)}
      </Text>
      <ul className="sight-checks">
        {checks.map(check => (
          <li key={check.name} data-passed={check.passed}>
            {check.passed ? '✓' : '✗'} {checkLabels[check.name]}: <span lang="en">{check.message}</span>
          </li>
        ))}
        {filters.flatMap(({ source, group, conditions }) =>
          conditions.map(({ field, passed, allowed, found }) => (
            <li key={`${source} ${group} ${field}`} data-passed={passed}>
              {passed ? '✓' : '✗'}{' '}
              {t('{source}: {field} must be {allowed}, and is {found}', {
                source: group ?? sightSources[source],
                field,
                // The server writes the condition of a row filter as JSON.
                allowed: describeAllowed(JSON.parse(allowed) as RowFilterCondition),
                found: found.map(value => writeValue(value)).join(', ') || t('none'),
              })}
            </li>
          )),
        )}
      </ul>
      {hiddenFields.length > 0 && (
        <Text size="sm">{t('Hidden fields: {fields}', { fields: hiddenFields.join(', ') })}</Text>
      )}
    </Stack>
  )
}
