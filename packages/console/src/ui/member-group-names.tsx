import { Badge, Group } from '@mantine/core'
import type { Member } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { findGrants, hasEnded } from './member-groups.ts'

interface MemberGroupNamesProps {
  workspace: string
  holder: Pick<Member, 'groups' | 'given' | 'until'>
}

/** The groups of a member by title, and the end of the membership. Renders nothing without either. */
export const MemberGroupNames = ({ workspace, holder }: MemberGroupNamesProps) => {
  const { data } = useSuspenseQuery(readOperation('listGroups', { params: { workspace } }))
  const readTitle = (name: string) => data.items.find(({ group }) => group === name)?.title ?? name
  return (
    <Group gap={4}>
      {findGrants(holder).map(grant => (
        <Badge
          key={grant.name}
          color="gray"
          variant="light"
          tt="none"
          miw="max-content"
          title={grant.until === undefined ? grant.name : t('until {until}', { until: grant.until })}
        >
          {grant.hasEnded ? t('{group} (ended)', { group: readTitle(grant.name) }) : readTitle(grant.name)}
        </Badge>
      ))}
      {holder.until !== undefined && (
        <Badge color={hasEnded(holder.until) ? 'red' : 'yellow'} variant="light" tt="none" miw="max-content">
          {hasEnded(holder.until)
            ? t('ended {until}', { until: holder.until })
            : t('until {until}', { until: holder.until })}
        </Badge>
      )}
    </Group>
  )
}
