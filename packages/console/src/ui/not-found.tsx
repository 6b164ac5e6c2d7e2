import { Group } from '@mantine/core'
import { IconMapQuestion } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { t } from '#i18n/translate.ts'
import { Empty } from './empty.tsx'
import { ButtonLink } from './links.tsx'

/** Shown at an unknown address of the console, and in place of something that does not exist any more. */
export const NotFound = () => {
  const { workspace, collection, api, email } = useParams({ strict: false })
  return (
    <Empty title={t('Page not found')} icon={<IconMapQuestion size={40} stroke={1.4} />} isPage>
      {t('The address may be wrong, or what it showed may have been deleted or renamed.')}
      <Group justify="center" mt="md">
        {workspace !== undefined && collection !== undefined && (
          <ButtonLink to="/w/$workspace/data" params={{ workspace }}>
            {t('All collections')}
          </ButtonLink>
        )}
        {workspace !== undefined && api !== undefined && (
          <ButtonLink to="/w/$workspace/apis" params={{ workspace }}>
            {t('All APIs')}
          </ButtonLink>
        )}
        {email !== undefined && <ButtonLink to="/server/people">{t('All people')}</ButtonLink>}
        {workspace === undefined ? (
          <ButtonLink to="/" variant={email === undefined ? 'filled' : 'default'}>
            {t('Go to the start page')}
          </ButtonLink>
        ) : (
          <ButtonLink
            to="/w/$workspace"
            params={{ workspace }}
            variant={collection === undefined && api === undefined ? 'filled' : 'default'}
          >
            {t('Go to the overview')}
          </ButtonLink>
        )}
      </Group>
    </Empty>
  )
}
