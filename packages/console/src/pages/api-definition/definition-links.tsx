import { t } from '#i18n/translate.ts'
import { TextLink } from '#ui/links.tsx'

interface DefinitionLinksProps {
  workspace: string
  api: string
}

/** Links to the pages that define an API, for those who may edit it. */
export const DefinitionLinks = ({ workspace, api }: DefinitionLinksProps) => (
  <>
    <TextLink to="/w/$workspace/apis/$api/endpoints" params={{ workspace, api }}>
      {t('Endpoints')}
    </TextLink>
    <TextLink to="/w/$workspace/apis/$api/curation" params={{ workspace, api }}>
      {t('Curation')}
    </TextLink>
  </>
)
